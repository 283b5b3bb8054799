import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { currentUser } from '#auth/protection'
import { AccountPassword } from '#session/account_password'
import { wantsPage } from '#http/wants_page'
import { passwordChangeValidator } from '#session/validators'

@inject()
export default class PasswordController {
  constructor(protected accountPassword: AccountPassword) {}

  async edit({ view }: HttpContext) {
    return view.render('pages/account/password')
  }

  /** Changes the password of whoever knows the current one. Other sessions end. */
  async update(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const fields = await ctx.request.validateUsing(passwordChangeValidator, {
      meta: { person: { email: user.email, fullName: user.fullName } },
    })
    await this.accountPassword.confirm(ctx, user, fields.current_password, 'current_password')
    await this.accountPassword.change(ctx, user, fields.password)

    if (!wantsPage(ctx)) {
      return ctx.response.ok({ status: 'password changed' })
    }
    ctx.session.flash('success', ctx.i18n.t('pages.account.password.done'))
    return ctx.response.redirect().toPath('/account/password')
  }
}
