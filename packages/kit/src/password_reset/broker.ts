import { safeEqual } from '@adonisjs/core/helpers'
import type { HttpContext } from '@adonisjs/core/http'

import { InvalidGrant, Throttled } from '#auth/errors'
import type { PasswordResetNotifier } from '#auth/define_config'
import type { PasswordResetStore } from '#password_reset/store'
import type { ErrorLog } from '#process/background'
import { isExpired } from '#database/expiry'
import { generateSecret, hashSecret } from '#security/secrets'
import { withoutSecret } from '#security/without_secret'
import { type Users, assertPasswordFits } from '#auth/users'

export interface PasswordBrokerOptions {
  users: Users
  store: PasswordResetStore
  /** Milliseconds a token lives. */
  lifetime: number
  /** Milliseconds between two tokens for one e-mail; 0 for no limit. */
  throttle: number
  /** Delivers a token. */
  notify: PasswordResetNotifier
  /** Gives the account back to the user whose password was reset. */
  recover: (user: unknown, users: Users, ctx?: HttpContext) => Promise<void>
  /** Logs a delivery that failed. */
  logger: ErrorLog
}

/**
 * Lets people who forgot their password set a new one: it makes a token, has it
 * delivered to their mailbox, and takes it in exchange for a new password.
 */
export class PasswordBroker {
  readonly users: Users

  constructor(protected options: PasswordBrokerOptions) {
    this.users = options.users
  }

  /**
   * Makes a reset token and delivers it. Nothing happens for an e-mail without an active user.
   *
   * Its duration and whether it throws tell whether the user exists: the answer to an
   * unauthenticated caller must depend on neither.
   *
   * @throws {Throttled} when the last token for this e-mail is younger than `throttle`
   */
  async sendResetLink(email: string): Promise<void> {
    const token = await this.createToken(email)
    if (token !== null) {
      await this.deliver(email, token)
    }
  }

  /**
   * Makes a token for a user; the previous one becomes invalid. Null for an e-mail without an
   * active user.
   * @throws {Throttled} when the last token for this e-mail is younger than `throttle`
   */
  async createToken(email: string): Promise<string | null> {
    if (!(await this.users.findActiveByUsername(email))) {
      return null
    }

    const now = Date.now()
    const token = generateSecret()
    const written = await this.options.store.replace(
      email,
      { token: hashSecret(token), createdAt: now, expiresAt: now + this.options.lifetime },
      now - this.options.throttle
    )
    if (!written) {
      const current = await this.options.store.find(email)
      const wait = (current?.createdAt ?? now) + this.options.throttle - now
      throw new Throttled(wait / 1000)
    }
    return token
  }

  /**
   * Hands a token to the notifier. Its failure is logged, without the token, and is not rethrown.
   */
  async deliver(email: string, token: string): Promise<void> {
    try {
      await this.options.notify(email, token)
    } catch (error) {
      const err = withoutSecret(error, token)
      this.options.logger.error({ err }, 'Cannot deliver a password reset token')
    }
  }

  /**
   * Sets a new password in exchange for a token, and ends all sessions of the user; where their
   * address was not verified, also everything else that acts for the account
   * (`AccountAccess.recover`). The token becomes invalid; a wrong guess leaves it as it is.
   * @param ctx the request, for the security log
   * @returns the user
   * @throws {InvalidGrant} when the token is wrong, used, replaced or expired, or its user is gone
   * or inactive
   * @throws {InvalidArgumentsException} for a password that is too long
   */
  async reset(
    fields: { email: string; token: string; password: string },
    ctx?: HttpContext
  ): Promise<unknown> {
    const { email, password } = fields
    assertPasswordFits(password)
    const token = hashSecret(fields.token)

    const current = await this.options.store.find(email)
    if (current && isExpired(current.expiresAt)) {
      await this.options.store.consume(email, current.token)
      throw new InvalidGrant(REFUSAL)
    }
    if (!current || !safeEqual(current.token, token)) {
      throw new InvalidGrant(REFUSAL)
    }

    const user = await this.users.findActiveByUsername(email)
    if (!user || !(await this.options.store.consume(email, token))) {
      throw new InvalidGrant(REFUSAL)
    }
    await this.users.provider.updatePassword(user, password)
    await this.options.recover(user, this.users, ctx)
    return user
  }

  /** Whether a link still works, so that a person hears of it before they choose a password. It tells nothing of users. */
  async accepts({ email, token }: { email: string; token: string }): Promise<boolean> {
    const current = await this.options.store.find(email)
    const isLive = current !== null && !isExpired(current.expiresAt)
    return isLive && safeEqual(current.token, hashSecret(token))
  }

  /** Deletes expired tokens and returns how many there were. */
  async purge(): Promise<number> {
    return this.options.store.purge(Date.now())
  }
}

const REFUSAL = 'The reset token is invalid, expired or used.'
