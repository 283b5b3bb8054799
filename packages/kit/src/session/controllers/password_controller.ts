import type { HttpContext } from '@adonisjs/core/http'

import manager from '#auth/service'
import { Auth } from '#auth/facade'
import { verifyPasswordOf } from '#auth/password_login'
import { currentUser } from '#auth/protection'
import { recordSecurityEvent } from '#auth/security_events'
import { answerDone, pathTo } from '#http/pages'
import { assertField } from '#http/words'
import { passwordChangeValidator } from '#session/validators'

export default class PasswordController {
  async edit({ view }: HttpContext) {
    return view.render('pages/account/password')
  }

  /** Changes the password, given the current one. Every session ends; this browser gets a new one. */
  async update(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const fields = await ctx.request.validateUsing(passwordChangeValidator, {
      meta: { person: { email: user.email, fullName: user.fullName } },
    })
    const users = manager.usersOf()
    const isRight = await verifyPasswordOf(manager, users, user, fields.current_password, ctx)
    assertField(isRight, ctx, 'current_password', 'currentPassword')
    const sessions = manager.feature('sessions')!
    /* While the password was checked: a request of before ends nothing of whoever has ended its session. */
    await ctx.authenticator.settle(() => {})
    /* First, too: when the others cannot be ended, the password is as before, and the form works once more. */
    await sessions.destroyOthersOf(user, users, ctx)
    await manager.feature('passwordResets')?.endLinksOf(user, users)
    await users.changePassword(user, fields.password)
    await sessions.destroyAllOf(user, users)
    await Auth.login(user)
    /* Asked when the session is there: a reset ends what is there. */
    await users.assertSamePassword(user).catch(async (error) => {
      await sessions.invalidate(ctx)
      throw error
    })
    await recordSecurityEvent(ctx, user, 'password_changed', {}, users)

    const next = { path: pathTo('account.password.edit'), words: 'pages.account.password.done' }
    return answerDone(ctx, { status: 'password changed' }, next)
  }
}
