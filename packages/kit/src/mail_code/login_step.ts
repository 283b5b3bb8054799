import type { HttpContext } from '@adonisjs/core/http'

import type { LoginStep } from '#auth/login_steps'
import type { Credentials } from '#auth/user_providers/user_provider'
import type { Users } from '#auth/users'
import { type MailCodes, PATHS } from '#mail_code/mail_codes'

/** Asks for a code by mail after the password, of those that `afterPassword` names. */
export class MailCodeStep<User = any> implements LoginStep<User> {
  readonly name = 'mail_code'
  readonly path = PATHS.step
  readonly credentialKeys = ['mail_code']

  /** Of this moment: tests and forks replace the feature. */
  constructor(protected codes: () => MailCodes | undefined) {}

  methodsOf() {
    return ['otp']
  }

  async isRequired(user: User): Promise<boolean> {
    return (await this.codes()?.isStepOf(user)) ?? false
  }

  async begin(user: User, users: Users<User>, ctx: HttpContext): Promise<void> {
    const email = String((user as Record<string, unknown>)[users.usernameKey])
    await this.codes()?.send(ctx, users, { email, purpose: 'step' })
  }

  async take(user: User, users: Users<User>, credentials: Credentials, ctx: HttpContext) {
    const codes = this.codes()
    const typed = await codes?.redeem(ctx, 'step', String(credentials.mail_code))
    if (!codes || !typed || typeof typed === 'string') {
      return false
    }
    const owner = await codes.arrive(ctx, users, typed, { knowsPassword: true })
    return owner !== null && users.identify(owner) === users.identify(user)
  }
}
