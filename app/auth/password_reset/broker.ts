import { safeEqual } from '@adonisjs/core/helpers'

import { InvalidGrant, Throttled } from '#auth/errors'
import type { AuthManager } from '#auth/manager'
import type { PasswordResetStore } from '#auth/password_reset/types'
import { generateSecret, hashSecret } from '#auth/secrets'
import { type Users, assertPasswordFits } from '#auth/users'

export interface PasswordBrokerOptions {
  users: Users
  store: PasswordResetStore
  /** Milliseconds a token lives. */
  lifetime: number
  /** Milliseconds between two tokens for one e-mail; 0 for no limit. */
  throttle: number
  manager: AuthManager
}

/**
 * Lets people who forgot their password set a new one: it makes a token, has it
 * delivered to their mailbox, and takes it in exchange for a new password.
 */
export class PasswordBroker {
  readonly #users: Users
  readonly #store: PasswordResetStore
  readonly #lifetime: number
  readonly #throttle: number
  readonly #manager: AuthManager

  constructor({ users, store, lifetime, throttle, manager }: PasswordBrokerOptions) {
    this.#users = users
    this.#store = store
    this.#lifetime = lifetime
    this.#throttle = throttle
    this.#manager = manager
  }

  /**
   * Has a reset token delivered to a user. Nothing happens for an e-mail that
   * names no active user.
   *
   * Whether it throws, and how long it takes, tells whether the e-mail names a
   * user: an answer to a stranger must depend on neither.
   *
   * @throws {Throttled} when the last token for this e-mail is too young
   */
  async sendResetLink(email: string): Promise<void> {
    const token = await this.createToken(email)
    if (token !== null) {
      await this.deliver(email, token)
    }
  }

  /**
   * Makes a token for a user; the one before is worth nothing then. Null for an
   * e-mail that names no active user.
   *
   * @throws {Throttled} when the last token for this e-mail is too young
   */
  async createToken(email: string): Promise<string | null> {
    if (!(await this.#users.findActiveByUsername(email))) {
      return null
    }

    const now = Date.now()
    const token = generateSecret()
    const written = await this.#store.replace(
      email,
      { token: hashSecret(token), createdAt: now, expiresAt: now + this.#lifetime },
      now - this.#throttle
    )
    if (!written) {
      const current = await this.#store.find(email)
      const wait = (current?.createdAt ?? now) + this.#throttle - now
      throw new Throttled(wait / 1000)
    }
    return token
  }

  /**
   * Hands a token to the notifier. A notifier that fails is logged, without
   * the token, and its failure goes no further.
   */
  async deliver(email: string, token: string): Promise<void> {
    try {
      await this.#manager.config.passwordResetNotifier?.(email, token)
    } catch (error) {
      this.#manager.logger.error(
        { err: withoutSecret(error, token) },
        'Cannot deliver a password reset token'
      )
    }
  }

  /**
   * Sets a new password in exchange for a token, and ends all sessions of the
   * user. The token is worth nothing afterwards; a wrong guess leaves it as it is.
   *
   * @throws {InvalidGrant} when the token is wrong, used, replaced or expired, or its user is gone or inactive
   * @throws {InvalidArgumentsException} for a password that is too long
   */
  async reset(fields: { email: string; token: string; password: string }): Promise<void> {
    const { email, password } = fields
    assertPasswordFits(password)
    const token = hashSecret(fields.token)

    const current = await this.#store.find(email)
    if (current && current.expiresAt <= Date.now()) {
      await this.#store.consume(email, current.token)
      throw new InvalidGrant(REFUSAL)
    }
    if (!current || !safeEqual(current.token, token)) {
      throw new InvalidGrant(REFUSAL)
    }

    const user = await this.#users.findActiveByUsername(email)
    if (!user || !(await this.#store.consume(email, token))) {
      throw new InvalidGrant(REFUSAL)
    }
    await this.#users.provider.updatePassword(user, password)
    await this.#manager.feature('sessions')?.destroyAllOf(user, this.#users)
  }

  /** Deletes expired tokens and returns how many there were. */
  async purge(): Promise<number> {
    return this.#store.purge(Date.now())
  }
}

const REFUSAL = 'The reset token is invalid, expired or used.'

/** An error of a notifier may repeat what it was given. */
function withoutSecret(error: unknown, secret: string): Error {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  const clean = new Error(message.replaceAll(secret, '[token]'))
  clean.name = name
  clean.stack = stack?.replaceAll(secret, '[token]')
  return clean
}
