import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { Auth } from '#auth/facade'
import { verifyPasswordOf } from '#auth/password_login'
import { recordSecurityEvent } from '#auth/security_events'
import type { UserOf } from '#auth/authenticators'
import { fieldError } from '#http/words'

/** What a signed-in person does with their own password. */
export class AccountPassword {
  /**
   * Checks that the person knows their password. Failures count like those of a login.
   *
   * @param field the form's field, for the message
   * @throws {E_VALIDATION_ERROR} when the password is wrong
   * @throws {Throttled} when too many attempts have failed
   */
  async confirm(ctx: HttpContext, user: UserOf, password: string, field: string): Promise<void> {
    const manager = await app.container.make('auth_manager')
    const users = manager.usersOf()
    if (!(await verifyPasswordOf(manager, users, user, password, ctx))) {
      throw fieldError(ctx, field, 'currentPassword')
    }
  }

  /** Sets a new password, ends every session but a new one for this browser. */
  async change(ctx: HttpContext, user: UserOf, password: string): Promise<void> {
    const manager = await app.container.make('auth_manager')
    const users = manager.usersOf()
    await users.changePassword(user, password)
    await manager.feature('sessions')!.destroyAllOf(user, users)
    await Auth.login(user)
    await recordSecurityEvent(ctx, user, 'password_changed', {}, users)
  }
}
