import { safeEqual } from '@adonisjs/core/helpers'
import type { HttpContext } from '@adonisjs/core/http'

import { InvalidGrant, Throttled } from '#auth/errors'
import type { AuthManager } from '#auth/manager'
import type { PasswordResetStore } from '#password_reset/store'
import { assertOr } from '#process/assert_or'
import type { ErrorLog } from '#process/background'
import { isExpired } from '#database/records'
import { generateSecret, hashSecret, withoutSecret } from '#security/secrets'
import { type Users, assertPasswordFits } from '#auth/users'

function assertWorks(works: unknown): asserts works {
  assertOr(works, InvalidGrant, 'The reset token is invalid, expired or used.')
}

/** Makes a token, has it delivered to a mailbox, and takes it in exchange for a new password. */
export class PasswordBroker {
  /** @param times milliseconds that a token lives, and between two tokens for one e-mail; 0 for no limit */
  constructor(
    readonly users: Users,
    protected store: PasswordResetStore,
    protected times: { lifetime: number; throttle: number },
    protected services: { manager: AuthManager; logger: ErrorLog }
  ) {}

  /**
   * Makes a reset token and delivers it; does nothing for an e-mail without an active user. Its
   * duration and what it throws tell which: the answer to a stranger must depend on neither.
   * @throws {Throttled} when the last token for this e-mail is younger than `throttle`
   */
  async sendResetLink(email: string): Promise<void> {
    const token = await this.createToken(email)
    if (token !== null) {
      await this.deliver(email, token)
    }
  }

  /** Makes a token, which replaces the one before; null without a user. @throws {Throttled} as `sendResetLink` */
  async createToken(email: string): Promise<string | null> {
    if (!(await this.users.findActiveByUsername(email))) {
      return null
    }
    const { lifetime, throttle } = this.times
    const now = Date.now()
    const token = generateSecret()
    const record = { token: hashSecret(token), createdAt: now, expiresAt: now + lifetime }
    if (!(await this.store.replace(email, record, now - throttle))) {
      const current = await this.store.find(email)
      throw new Throttled(((current?.createdAt ?? now) + throttle - now) / 1000)
    }
    return token
  }

  /** Hands a token to the notifier. A failure is logged, without the token, and not rethrown. */
  async deliver(email: string, token: string): Promise<void> {
    const { manager, logger } = this.services
    try {
      await manager.config.passwordResetNotifier?.(email, token)
    } catch (error) {
      const err = withoutSecret(error, token)
      logger.error({ err }, 'Cannot deliver a password reset token')
    }
  }

  /**
   * Sets a new password in exchange for a token, which becomes invalid, and gives the account back to
   * the user (`AccountAccess.recover`). A wrong guess leaves the token as it is, and a failure in
   * between leaves it valid, so that the reset can be repeated.
   * @throws {InvalidGrant} when the token is not valid (any more), or its user is gone or inactive
   * @throws {InvalidArgumentsException} for a password that is too long
   */
  async reset(
    { email, password, ...sent }: { email: string; token: string; password: string },
    ctx?: HttpContext
  ): Promise<unknown> {
    assertPasswordFits(password)
    const token = hashSecret(sent.token)
    const { manager } = this.services

    const current = await this.store.find(email)
    if (current && isExpired(current.expiresAt)) {
      await this.store.consume(email, current.token)
      assertWorks(false)
    }
    assertWorks(current && safeEqual(current.token, token))

    const user = await this.users.findActiveByUsername(email)
    assertWorks(user)
    /* Before the password as well as after it: no session survives a failure in between. */
    await manager.feature('sessions')?.destroyAllOf(user, this.users)
    assertWorks(await this.store.consume(email, token))
    try {
      await this.users.provider.updatePassword(user, password)
      await manager.accountAccess.recover(user, this.users, ctx)
    } catch (error) {
      await Promise.try(() => this.store.replace(email, current, current.createdAt)).catch(() => {})
      throw error
    }
    return user
  }

  /** Whether a link still works, for a person to hear before they choose a password. Tells nothing of users. */
  async accepts({ email, token }: { email: string; token: string }): Promise<boolean> {
    const current = await this.store.find(email)
    const isLive = current !== null && !isExpired(current.expiresAt)
    return isLive && safeEqual(current.token, hashSecret(token))
  }

  async purge(): Promise<number> {
    return this.store.purge(Date.now())
  }
}
