import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import mail from '@adonisjs/mail/services/main'
import { errors } from '@vinejs/vine'

import { Auth } from '#auth/facade'
import { verifyLogin } from '#auth/password_login'
import PasswordChangedMail from '#mails/password_changed_mail'
import type User from '#models/user'
import { Background } from '#support/background'

/** What a signed-in person does with their own password. */
@inject()
export class AccountPassword {
  constructor(protected background: Background) {}

  /**
   * Checks that the person knows their password. Failures count like those of a login.
   *
   * @param field the form's field, for the message
   * @throws {E_VALIDATION_ERROR} when the password is wrong
   * @throws {Throttled} when too many attempts have failed
   */
  async confirm(ctx: HttpContext, user: User, password: string, field: string): Promise<void> {
    const manager = await app.container.make('auth_manager')
    const users = manager.usersOf()
    const credentials = { [users.usernameKey]: user.email, [users.passwordKey]: password }
    const found = await verifyLogin(manager, users, credentials, ctx)
    if (!found || users.identify(found) !== users.identify(user)) {
      throw new errors.E_VALIDATION_ERROR([
        { field, rule: 'currentPassword', message: 'This is not your password' },
      ])
    }
  }

  /** Sets a new password, ends every session but a new one for this browser, and tells the person by mail. */
  async change(ctx: HttpContext, user: User, password: string): Promise<void> {
    const manager = await app.container.make('auth_manager')
    const users = manager.usersOf()
    await users.provider.updatePassword(user, password)
    await manager.feature('sessions')!.destroyAllOf(user, users)
    await Auth.login(users.identify(user))
    this.background.afterReply(ctx.response, 'tell a person that their password was changed', () =>
      mail.send(new PasswordChangedMail(user.email)).then(() => undefined)
    )
  }
}
