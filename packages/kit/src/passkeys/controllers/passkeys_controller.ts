import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { currentUser } from '#auth/protection'
import type { PasskeyDetails } from '#passkeys/passkeys'
import { AccountPasskeys } from '#passkeys/account_passkeys'
import { wantsPage } from '#http/wants_page'
import { fieldError } from '#http/words'
import { newPasskeyValidator, passkeyNameValidator } from '#passkeys/validators'

const HOME = '/account/passkeys'
const SECOND = 1000

/** The passkeys of the signed-in person. All of it needs a confirmation. */
@inject()
export default class PasskeysController {
  constructor(protected passkeys: AccountPasskeys) {}

  async index(ctx: HttpContext) {
    const passkeys = await this.passkeys.list(await currentUser(ctx))
    ctx.response.header('Cache-Control', 'no-store')
    return wantsPage(ctx)
      ? ctx.view.render('pages/account/passkeys', { passkeys })
      : ctx.response.ok({ passkeys: passkeys.map(describe) })
  }

  /** What the browser needs to make a passkey. */
  async options(ctx: HttpContext) {
    const options = await this.passkeys.options(ctx, await currentUser(ctx))
    return ctx.response.header('Cache-Control', 'no-store').ok(options)
  }

  /** Registers the passkey that the browser has made. */
  async store(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const { name, response: answer } = await ctx.request.validateUsing(newPasskeyValidator)
    const passkey = await this.passkeys.register(ctx, user, name, answer)
    if (!passkey) {
      throw fieldError(ctx, 'response', 'passkey')
    }
    return wantsPage(ctx)
      ? done(ctx, ctx.i18n.t('passkeys.added'))
      : ctx.response.created(describe(passkey))
  }

  async update(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const { name } = await ctx.request.validateUsing(passkeyNameValidator)
    if (!(await this.passkeys.rename(user, ctx.params.id, name))) {
      return missing(ctx)
    }
    return wantsPage(ctx) ? done(ctx, ctx.i18n.t('passkeys.renamed')) : ctx.response.noContent()
  }

  async destroy(ctx: HttpContext) {
    const user = await currentUser(ctx)
    if (!(await this.passkeys.remove(ctx, user, ctx.params.id))) {
      return missing(ctx)
    }
    return wantsPage(ctx) ? done(ctx, ctx.i18n.t('passkeys.removed')) : ctx.response.noContent()
  }
}

function done(ctx: HttpContext, message: string) {
  ctx.session.flash('success', message)
  return ctx.response.redirect().toPath(HOME)
}

/** The passkey of somebody else is none. */
function missing({ request, response }: HttpContext) {
  return wantsPage({ request })
    ? response.redirect().toPath(HOME)
    : response.notFound({ message: 'Passkey not found' })
}

/** A passkey as programs see it. Times are epoch seconds. */
function describe({ id, name, lastUsedAt, createdAt }: PasskeyDetails) {
  return {
    id,
    name,
    last_used_at: lastUsedAt && Math.floor(lastUsedAt / SECOND),
    created_at: Math.floor(createdAt / SECOND),
  }
}
