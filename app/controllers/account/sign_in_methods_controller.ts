import type { HttpContext } from '@adonisjs/core/http'

import { currentUser } from 'adonis-auth-kit/auth'
import { services, signInMethodsOf } from '#services/social_accounts'
import { RequestSession } from 'adonis-auth-kit/session'
import type { SocialIdentity } from 'adonis-auth-kit/social'
import { toSeconds } from 'adonis-auth-kit/database'
import { wantsPage } from 'adonis-auth-kit/http'

const HOME = 'account.sign_in_methods.sign_in_methods.index'

/** How the signed-in person can sign in: their password, passkeys, and identities at providers. */
export default class SignInMethodsController {
  async index(ctx: HttpContext) {
    const methods = await signInMethodsOf(await currentUser(ctx))
    if (wantsPage(ctx)) {
      return ctx.view.render('pages/account/sign_in_methods', methods)
    }
    const { hasPassword, passkeys, identities, others } = methods
    return ctx.response.ok({
      password: hasPassword,
      passkeys,
      identities: identities.map(describe),
      providers: others,
    })
  }

  /** Asks whether an identity that waits belongs to the account. */
  async confirmJoin(ctx: HttpContext) {
    const { social, users } = await services()
    const waiting = await social.pendingJoin(ctx, await currentUser(ctx), users)
    return waiting
      ? ctx.view.render('pages/account/join_identity', waiting)
      : ctx.response.redirect().toRoute(HOME)
  }

  /** Connects the identity that waits. */
  async join(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const { social, users } = await services()
    const provenAt = RequestSession.existing(ctx)?.confirmedAt ?? 0
    const isJoined = await social.join(ctx, user, users, provenAt)
    if (!wantsPage(ctx)) {
      return isJoined
        ? ctx.response.ok({ status: 'linked' })
        : ctx.response.notFound({ message: 'Nothing waits to be linked' })
    }
    return isJoined ? done(ctx, 'social.joined') : ctx.response.redirect().toRoute(HOME)
  }

  async destroy(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const { social, users } = await services()
    const outcome = await social.identities.unlink(ctx, user, users, ctx.params.id)
    if (wantsPage(ctx)) {
      if (outcome === 'last') {
        ctx.session.flash('error', ctx.i18n.t('social.last'))
      }
      return outcome === 'unlinked'
        ? done(ctx, 'social.unlinked')
        : ctx.response.redirect().toRoute(HOME)
    }
    if (outcome === 'unlinked') {
      return ctx.response.noContent()
    }
    return outcome === 'last'
      ? ctx.response.conflict({ message: 'Without a password the last one stays' })
      : ctx.response.notFound({ message: 'Identity not found' })
  }
}

function done(ctx: HttpContext, words: string) {
  ctx.session.flash('success', ctx.i18n.t(words))
  return ctx.response.redirect().toRoute(HOME)
}

/** An identity as programs see it. Times are epoch seconds. */
function describe({ id, name, issuer, email, createdAt, lastUsedAt }: SocialIdentity) {
  return {
    id,
    provider: name,
    issuer,
    email,
    created_at: toSeconds(createdAt),
    last_used_at: toSeconds(lastUsedAt),
  }
}
