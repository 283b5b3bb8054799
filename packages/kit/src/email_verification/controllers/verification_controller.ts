import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { InvalidGrant } from '#auth/errors'
import { currentUser, optionalUser } from '#auth/protection'
import { EmailVerification } from '#email_verification/email_verification'
import { wantsPage } from '#support/wants_page'

@inject()
export default class VerificationController {
  constructor(protected verification: EmailVerification) {}

  /** Asks a signed-in person to open the link that was sent to them. */
  async notice(ctx: HttpContext) {
    const state = this.verification.stateOf(await currentUser(ctx))
    if (!wantsPage(ctx)) {
      const { email, verified, proposed } = state
      return ctx.response.ok({ email, verified, proposed_email: proposed })
    }
    return state.verified && !state.proposed
      ? ctx.response.redirect().toPath('/account')
      : ctx.view.render('pages/email/notice', { address: state.proposed ?? state.email })
  }

  /** Sends another link. The answer is the same when there is nothing to verify. */
  async resend(ctx: HttpContext) {
    await this.verification.sendLink(await currentUser(ctx), ctx)
    if (!wantsPage(ctx)) {
      return ctx.response.ok({ status: 'link sent' })
    }
    ctx.session.flash('success', ctx.i18n.t('pages.email.sent'))
    return ctx.response.redirect().toPath('/email/verify')
  }

  /**
   * Where a link leads: a page with a button, because programs that look into
   * mails open links. Its address holds the signature, so the browser tells
   * nobody more than the origin.
   */
  async open(ctx: HttpContext) {
    ctx.response.header('Referrer-Policy', 'strict-origin').header('Cache-Control', 'no-store')
    const link = await this.verification.readLink(ctx)
    return link
      ? ctx.view.render('pages/email/confirm', { email: link.email, action: ctx.request.url(true) })
      : this.#refuse(ctx)
  }

  /** Verifies the address of the link. */
  async follow(ctx: HttpContext) {
    const followed = await this.verification.follow(ctx)
    if (!followed) {
      return this.#refuse(ctx)
    }
    if (!wantsPage(ctx)) {
      return ctx.response.header('Cache-Control', 'no-store').ok({ status: 'address verified' })
    }
    ctx.session.flash('success', ctx.i18n.t('pages.email.verified', followed))
    return ctx.response.redirect().toPath((await optionalUser(ctx)) ? '/account' : '/login')
  }

  async #refuse(ctx: HttpContext) {
    if (!wantsPage(ctx)) {
      throw new InvalidGrant('The link is invalid, expired or used.')
    }
    ctx.session.flash('error', ctx.i18n.t('pages.email.bad_link'))
    return ctx.response.redirect().toPath((await optionalUser(ctx)) ? '/email/verify' : '/login')
  }
}
