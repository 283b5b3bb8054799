import { safeEqual } from '@adonisjs/core/helpers'
import type { HttpContext } from '@adonisjs/core/http'

import { InvalidGrant, Throttled } from '#auth/errors'
import { AuthManager } from '#auth/manager'
import type { PasswordResetStore } from '#password_reset/store'
import { assertOr } from '#process/assert_or'
import type { ErrorLog, Background } from '#process/background'
import { isExpired } from '#database/records'
import { generateSecret, handOver, hashSecret } from '#security/secrets'
import { type Users, assertPasswordFits } from '#auth/users'
import type { PasswordBrokerSpec } from '#auth/define_config'
import type { Purges } from '#database/purges'
import { assertArgument, positiveNumber } from '#config/checks'
import { assertConnection, importModel, resolveStoreName } from '#config/store_config'
import { nullFor } from '#process/null_for'

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
    const notify = () => manager.config.passwordResetNotifier?.(email, token)
    await handOver(token, notify).catch((err) =>
      logger.error({ err }, 'Cannot deliver a password reset token')
    )
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

  /** Ends the link that was sent last, if there is one. */
  async endLink(email: string): Promise<void> {
    const current = await this.store.find(email)
    current && (await this.store.consume(email, current.token))
  }

  async purge(): Promise<number> {
    return this.store.purge(Date.now())
  }
}

declare module '#auth/manager' {
  interface AuthManager {
    /** Default: `default.passwords`. @throws {InvalidArgumentsException} when no broker has this name */
    broker(name?: string): PasswordBroker
  }
}

AuthManager.macro('broker', function (this: AuthManager, name) {
  const resets = this.feature('passwordResets')
  assertArgument(resets, 'There are no password brokers: set "passwords" in config/auth.ts')
  return resets.broker(name)
})

/** The password brokers of `config/auth.ts`, and requests for reset links. */
export class PasswordResets {
  private constructor(
    protected manager: AuthManager,
    protected background: Background,
    protected brokers: Map<string, PasswordBroker>
  ) {}

  /**
   * Registers the brokers with the manager; null without any.
   * @throws {InvalidArgumentsException} for an unknown user provider, an unknown store or connection, or a time that is not positive
   */
  static async register(
    manager: AuthManager,
    services: { background: Background; purges: Purges; logger: ErrorLog }
  ): Promise<PasswordResets | null> {
    const specs = Object.entries(manager.config.passwords)
    if (!specs.length) {
      return null
    }
    const brokers = new Map<string, PasswordBroker>()
    for (const [name, spec] of specs) {
      const label = `The password broker "${name}"`
      const users = manager.users(spec.provider)
      const store = await createBrokerStore(name, label, spec)
      const lifetime = positiveNumber(label, 'expire', spec.expire ?? 60) * 60_000
      const pause = positiveNumber(label, 'throttle', spec.throttle ?? 60, { orZero: true })
      const times = { lifetime, throttle: pause * 1000 }
      const broker = new PasswordBroker(users, store, times, { manager, logger: services.logger })
      brokers.set(name, broker)
      const purge = { name: `expired reset tokens of "${name}"`, run: () => broker.purge() }
      services.purges.add({ ...purge, interval: 300 })
    }
    const resets = new PasswordResets(manager, services.background, brokers)
    resets.broker()
    manager.registerFeature('passwordResets', resets)
    return resets
  }

  /** @throws {InvalidArgumentsException} when no broker has this name */
  broker(name: string = this.manager.config.default.passwords): PasswordBroker {
    const broker = this.brokers.get(name)
    assertArgument(broker, `There is no password broker "${name}" in config/auth.ts`)
    return broker
  }

  /** Ends the links of a user, who is about to have another password. */
  async endLinksOf<User>(user: User, users: Users<User>): Promise<void> {
    const own = [...this.brokers.values()].filter((broker) => broker.users.name === users.name)
    await Promise.all(own.map((broker) => broker.endLink(users.usernameOf(user))))
  }

  /**
   * Handles an unauthenticated request for a reset link. What depends on the e-mail happens after the
   * reply, so that neither it nor its time tells whether there is such a user.
   * @returns the token, for the reply: with `debugExposeResetToken` alone, and when one was made
   * @throws {Throttled} when this address has asked too often
   * @throws {ProviderRequired} for an address whose organisation forbids passwords
   */
  async requestLink(email: string, ctx: HttpContext): Promise<string | null> {
    await this.manager.feature('social')?.assertPasswordWorks(ctx, email)
    await this.manager.feature('throttle')?.penalize('passwordMails', null, ctx)

    const broker = this.broker()
    const afterReply = (task: () => Promise<void>) =>
      this.background.afterReply(ctx.response, 'send a password reset link', task)

    if (!this.manager.config.debugExposeResetToken) {
      afterReply(async () => void (await broker.sendResetLink(email).catch(nullFor(Throttled))))
      return null
    }

    const token = await broker.createToken(email).catch(nullFor(Throttled))
    if (token !== null) {
      afterReply(() => broker.deliver(email, token))
    }
    return token
  }
}

async function createBrokerStore(broker: string, label: string, spec: PasswordBrokerSpec) {
  const store = resolveStoreName(label, spec, 'database')
  if (store === 'instance') {
    return spec.instance!
  }
  const stores = await import('#password_reset/store')
  if (store === 'memory') {
    return new stores.MemoryPasswordResetStore()
  }
  const { default: db } = await import('@adonisjs/lucid/services/db')
  assertConnection(db, spec.connection)
  const model = await importModel(spec.model)
  return new stores.DatabasePasswordResetStore(broker, spec.connection, model)
}
