import type { HttpContext } from '@adonisjs/core/http'

import type { LoginStep } from '#auth/login_steps'
import type { Credentials } from '#auth/user_providers/user_provider'
import type { Users } from '#auth/users'
import type { TwoFactor } from '#two_factor/two_factor'

/** Asks for the second factor after the password, wherever a password signs in. */
export class TwoFactorStep<User = any> implements LoginStep<User> {
  readonly name = 'two_factor'
  readonly path = '/login/two-factor'
  readonly credentialKeys = ['two_factor_code', 'recovery_code']

  constructor(protected twoFactor: TwoFactor) {}

  /** A recovery code is no one-time password of a device (RFC 8176 §2), and a second factor all the same. */
  methodsOf({ two_factor_code: code }: Credentials): readonly string[] {
    return typeof code === 'string' ? ['otp', 'mfa'] : ['mfa']
  }

  async isRequired(user: User, users: Users<User>): Promise<boolean> {
    return this.twoFactor.isOn(user, users)
  }

  async take(
    user: User,
    users: Users<User>,
    { two_factor_code: code, recovery_code: recoveryCode }: Credentials,
    ctx: HttpContext
  ): Promise<boolean> {
    const proof = typeof code === 'string' ? { code } : { recoveryCode: String(recoveryCode) }
    return this.twoFactor.verify(user, users, proof, ctx)
  }

  trustDevice(user: User, users: Users<User>, ctx: HttpContext): void {
    this.twoFactor.trustDevice(user, users, ctx)
  }
}
