import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { InvalidGrant, InvalidSession } from '#auth/errors'
import { currentUser, optionalUser } from '#auth/protection'
import { EmailVerification } from '#email_verification/email_verification'
import { wantsPage } from '#http/wants_page'

@inject()
export default class VerificationController {
  constructor(protected verification: EmailVerification) {}

  /** Asks a signed-in person to open the link that was sent to them. */
  async notice(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const state = this.verification.stateOf(user)
    const address = this.verification.addressToVerify(user)
    if (!wantsPage(ctx)) {
      const { email, verified, proposed } = state
      return ctx.response.ok({ email, verified, proposed_email: proposed })
    }
    return address === null
      ? ctx.response.redirect().toPath('/account')
      : ctx.view.render('pages/email/notice', { address })
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
      ? ctx.view.render('pages/email/confirm', {
          email: link.email,
          action: ctx.request.url(true),
          needsPassword: !(await this.verification.isSignedIn(link.user, ctx)),
        })
      : this.#refuse(ctx)
  }

  /** Verifies the address of the link, for whoever is signed in to the account or sends its password. */
  async follow(ctx: HttpContext) {
    const followed = await this.#follow(ctx)
    if (followed === 'not proven') {
      ctx.session.flash('error', ctx.i18n.t('pages.email.refused'))
      return ctx.response.redirect().toPath(ctx.request.url(true))
    }
    if (!followed) {
      return this.#refuse(ctx)
    }
    if (!wantsPage(ctx)) {
      return ctx.response.header('Cache-Control', 'no-store').ok({ status: 'address verified' })
    }
    ctx.session.flash('success', ctx.i18n.t('pages.email.verified', followed))
    return ctx.response.redirect().toPath((await optionalUser(ctx)) ? '/account' : '/login')
  }

  /** A person is asked again; a program gets the error. */
  async #follow(ctx: HttpContext) {
    try {
      return await this.verification.follow(ctx, ctx.request.body().password)
    } catch (error) {
      if (error instanceof InvalidSession && wantsPage(ctx)) {
        return 'not proven'
      }
      throw error
    }
  }

  async #refuse(ctx: HttpContext) {
    if (!wantsPage(ctx)) {
      throw new InvalidGrant('The link is invalid, expired or used.')
    }
    ctx.session.flash('error', ctx.i18n.t('pages.email.bad_link'))
    return ctx.response.redirect().toPath((await optionalUser(ctx)) ? '/email/verify' : '/login')
  }
}
