import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { rememberAddress, typedAddress } from '#http/typed_address'
import { wantsPage } from '#http/wants_page'
import { passwordEmailValidator } from '#password_reset/validators'

const STATUS = 'If that account exists, a reset link has been sent.'

export default class PasswordEmailController {
  /** The form of a person who forgot their password. */
  async create(ctx: HttpContext) {
    return ctx.view.render('pages/auth/forgot_password', { email: typedAddress(ctx) })
  }

  /** Mails a link to the account, if there is one. */
  async store(ctx: HttpContext) {
    const { email } = await ctx.request.validateUsing(passwordEmailValidator)
    const manager = await app.container.make('auth_manager')
    const token = await manager.feature('passwordResets')!.requestLink(email, ctx)

    if (ctx.session && wantsPage(ctx)) {
      rememberAddress(ctx, email)
      ctx.session.flash('success', ctx.i18n.t('pages.forgot_password.sent'))
      return ctx.response.redirect().toPath('/password/forgot')
    }
    return ctx.response
      .header('Cache-Control', 'no-store')
      .ok({ status: STATUS, ...(token !== null && { token }) })
  }
}
