import type { HttpContext } from '@adonisjs/core/http'

import manager from '#auth/service'
import { currentUser } from '#auth/protection'
import type { PasskeyDetails } from '#passkeys/passkeys'
import { toSeconds } from '#database/records'
import { answerDone, answerEnded, pathTo, wantsPage } from '#http/pages'
import { assertField } from '#http/words'
import { newPasskeyValidator, passkeyNameValidator } from '#passkeys/validators'

/** The passkeys of the signed-in person. All of it needs a confirmation. */
export default class PasskeysController {
  async index(ctx: HttpContext) {
    const { feature, user, users } = await open(ctx)
    const passkeys = await feature.list(user, users)
    return wantsPage(ctx)
      ? ctx.view.render('pages/account/passkeys', { passkeys })
      : ctx.response.ok({ passkeys: passkeys.map(describe) })
  }

  async options(ctx: HttpContext) {
    const { feature, user, users } = await open(ctx)
    return ctx.response.ok(await feature.creationOptions(user, users, ctx))
  }

  async store(ctx: HttpContext) {
    const { feature, user, users } = await open(ctx)
    const { name, response: answer } = await ctx.request.validateUsing(newPasskeyValidator)
    const passkey = await feature.register(user, users, { name, answer }, ctx)
    assertField(passkey, ctx, 'response', 'passkey')
    return wantsPage(ctx)
      ? answerDone(ctx, null, page('passkeys.added'))
      : ctx.response.created(describe(passkey))
  }

  async update(ctx: HttpContext) {
    const { feature, user, users } = await open(ctx)
    const { name } = await ctx.request.validateUsing(passkeyNameValidator)
    const isRenamed = await feature.rename(user, users, ctx.params.id, name)
    return ended(ctx, isRenamed, 'passkeys.renamed')
  }

  async destroy(ctx: HttpContext) {
    const { feature, user, users } = await open(ctx)
    const removed = await feature.remove(user, users, ctx.params.id, ctx)
    return ended(ctx, removed !== null, 'passkeys.removed')
  }
}

async function open(ctx: HttpContext) {
  const user = await currentUser(ctx)
  return { feature: manager.feature('passkeys')!, user, users: manager.usersOf() }
}

const page = (words: string) => ({ path: pathTo('account.passkeys.passkeys.index'), words })

/** Nothing is found, either, of the passkey of somebody else. */
function ended(ctx: HttpContext, isFound: boolean, words: string) {
  return answerEnded(ctx, isFound, 'Passkey not found', page(isFound ? words : 'passkeys.gone'))
}

/** A passkey as programs see it. Times are epoch seconds. */
function describe({ id, name, lastUsedAt, createdAt }: PasskeyDetails) {
  const used = lastUsedAt && toSeconds(lastUsedAt)
  return { id, name, last_used_at: used, created_at: toSeconds(createdAt) }
}
