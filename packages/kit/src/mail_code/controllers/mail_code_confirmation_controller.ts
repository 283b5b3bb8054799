import type { HttpContext } from '@adonisjs/core/http'

import { ConfirmationRequired } from '#auth/errors'
import { Auth } from '#auth/facade'
import { currentUser } from '#auth/protection'
import { wantsPage } from '#http/wants_page'
import { fieldError } from '#http/words'
import { linkedCode, mailCodesOf } from '#mail_code/controllers/services'
import { PATHS } from '#mail_code/mail_codes'
import { mailCodeValidator } from '#mail_code/validators'

/** What `middleware.confirmed()` asks for, with a code that is mailed to the account's address. */
export default class MailCodeConfirmationController {
  async create(ctx: HttpContext) {
    await currentUser(ctx)
    const { codes } = await mailCodesOf(ctx)
    const code = linkedCode(ctx)
    const pending = codes.pending(ctx, 'confirm')
    return ctx.view.render('pages/auth/mail_code', {
      path: PATHS.confirm,
      isAsked: pending !== null,
      isElsewhere: code !== '' && pending === null,
      asksAddress: false,
      code,
      email: pending?.email,
    })
  }

  async store(ctx: HttpContext) {
    const user: any = await currentUser(ctx)
    const { codes, users } = await mailCodesOf(ctx)
    const email = String(user[users.usernameKey])
    await codes.send(ctx, users, { email, purpose: 'confirm' })
    return wantsPage(ctx)
      ? ctx.response.redirect().toPath(PATHS.confirm)
      : ctx.response.ok({ status: 'code sent' })
  }

  async verify(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const { codes, users } = await mailCodesOf(ctx)
    const { mail_code: code } = await ctx.request.validateUsing(mailCodeValidator)
    const typed = await codes.redeem(ctx, 'confirm', code)
    if (typed === 'wrong') {
      throw fieldError(ctx, 'mail_code', 'mailCode')
    }
    const owner =
      typed === 'gone' ? null : await codes.arrive(ctx, users, typed, { knowsPassword: true })
    if (!owner || users.identify(owner) !== users.identify(user)) {
      return refuse(ctx)
    }
    await Auth.markConfirmed()
    return wantsPage(ctx)
      ? ctx.response.redirect().toIntended('/account')
      : ctx.response.ok({ status: 'confirmed' })
  }
}

function refuse(ctx: HttpContext) {
  if (!wantsPage(ctx)) {
    throw new ConfirmationRequired()
  }
  ctx.session.flash('error', ctx.i18n.t('mail_code.gone'))
  return ctx.response.redirect().toPath(PATHS.confirm)
}
