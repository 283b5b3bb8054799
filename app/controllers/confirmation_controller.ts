import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { Auth } from '#auth/facade'
import { currentUser } from '#auth/protection'
import { wantsPage } from '#support/wants_page'
import { fieldError } from '#support/words'
import { confirmationValidator } from '#validators/two_factor'

/** What `middleware.confirmed()` asks for: proof that whoever is signed in is still there. */
export default class ConfirmationController {
  /** The form. */
  async create(ctx: HttpContext) {
    const manager = await app.container.make('auth_manager')
    const users = manager.usersOf()
    const user = await currentUser(ctx)
    ctx.response.header('Cache-Control', 'no-store')
    return ctx.view.render('pages/auth/confirm', {
      twoFactor: await manager.feature('twoFactor')?.isOn(user, users),
      passkeys: await manager.feature('passkeys')?.list(user, users),
    })
  }

  /** Confirms, and goes on to the page that asked for it. */
  async store(ctx: HttpContext) {
    const proof = await ctx.request.validateUsing(confirmationValidator)
    const { code, ...others } = proof
    if (!(await Auth.confirm({ ...others, two_factor_code: code }))) {
      throw proof.password === undefined
        ? fieldError(ctx, code === undefined ? 'recovery_code' : 'code', 'secondFactor')
        : fieldError(ctx, 'password', 'currentPassword')
    }
    return wantsPage(ctx)
      ? ctx.response.redirect().toIntended('/account')
      : ctx.response.ok({ status: 'confirmed' })
  }
}
