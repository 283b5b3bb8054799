import type { HttpContext } from '@adonisjs/core/http'

import manager from '#auth/service'
import { Auth } from '#auth/facade'
import { answerLogin } from '#auth/login_answers'
import { pathTo } from '#http/pages'
import { fieldError } from '#http/words'
import { twoFactorLoginValidator } from '#two_factor/validators'

const STEP = 'two_factor'

/** The step of a login after the password: the second factor. */
export default class TwoFactorLoginController {
  /** The form. Who has not given a password yet begins with that. */
  async create({ view, response }: HttpContext) {
    const pending = await Auth.pendingLogin()
    if (pending?.step.name !== STEP) {
      return response.redirect().toPath(pathTo('session.create'))
    }
    const passkeys = await manager.feature('passkeys')?.list(pending.user, manager.usersOf())
    return view.render('pages/auth/two_factor', { passkeys })
  }

  async store(ctx: HttpContext) {
    const typed = await ctx.request.validateUsing(twoFactorLoginValidator)
    const { code, recovery_code: recoveryCode } = typed
    const isSignedIn = await Auth.continueLogin(
      recoveryCode ? { recovery_code: recoveryCode } : { two_factor_code: code }
    )
    const pending = isSignedIn ? null : await Auth.pendingLogin()
    if (isSignedIn || (pending && pending.step.name !== STEP)) {
      return answerLogin(ctx, isSignedIn)
    }
    throw fieldError(ctx, recoveryCode ? 'recovery_code' : 'code', 'secondFactor')
  }
}
