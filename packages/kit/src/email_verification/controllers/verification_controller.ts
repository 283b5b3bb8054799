import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { InvalidGrant, InvalidSession } from '#auth/errors'
import { currentUser, optionalUser } from '#auth/protection'
import { EmailVerification } from '#email_verification/email_verification'
import { answerDone, answerRefused, pathTo, wantsPage } from '#http/pages'

@inject()
export default class VerificationController {
  constructor(protected verification: EmailVerification) {}

  /** Asks a signed-in person to open the link that was sent to them. */
  async notice(ctx: HttpContext) {
    const user = await currentUser(ctx)
    if (!wantsPage(ctx)) {
      return ctx.response.ok(this.verification.describe(user))
    }
    const address = this.verification.addressToVerify(user)
    return address === null
      ? ctx.response.redirect().toPath(pathTo('account.profile.show'))
      : ctx.view.render('pages/email/notice', { address })
  }

  /** Sends another link. The answer is the same when there is nothing to verify. */
  async resend(ctx: HttpContext) {
    await this.verification.sendLink(await currentUser(ctx), ctx)
    const next = { path: pathTo('email.notice'), words: 'pages.email.sent' }
    return answerDone(ctx, { status: 'link sent' }, next)
  }

  /** A page with a button, because programs that look into mails open links. Its address holds the signature. */
  async open(ctx: HttpContext) {
    ctx.response.header('Referrer-Policy', 'strict-origin')
    const link = await this.verification.readLink(ctx)
    if (!link) {
      return this.#refuse(ctx)
    }
    const needsPassword = !(await this.verification.isSignedIn(link.user, ctx))
    const state = { email: link.email, action: ctx.request.url(true), needsPassword }
    return ctx.view.render('pages/email/confirm', state)
  }

  async follow(ctx: HttpContext) {
    let followed: { email: string } | null
    try {
      followed = await this.verification.follow(ctx, ctx.request.body().password)
    } catch (error) {
      if (!(error instanceof InvalidSession)) {
        throw error
      }
      const next = { path: ctx.request.url(true), words: 'pages.email.refused' }
      return answerRefused(ctx, error, next)
    }
    if (!followed) {
      return this.#refuse(ctx)
    }
    const path = pathTo((await optionalUser(ctx)) ? 'account.profile.show' : 'session.create')
    const next = { path, words: 'pages.email.verified', values: followed }
    return answerDone(ctx, { status: 'address verified' }, next)
  }

  async #refuse(ctx: HttpContext) {
    const path = pathTo((await optionalUser(ctx)) ? 'email.notice' : 'session.create')
    const error = new InvalidGrant('The link is invalid, expired or used.')
    return answerRefused(ctx, error, { path, words: 'pages.email.bad_link' })
  }
}
