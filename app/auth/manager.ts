import type { Hash } from '@adonisjs/core/hash'
import type { HttpContext } from '@adonisjs/core/http'
import { InvalidArgumentsException, RuntimeException } from '@adonisjs/core/exceptions'
import Macroable from '@poppinss/macroable'

import { Authenticator } from '#auth/authenticator'
import { Background } from '#auth/background'
import type { ResolvedAuthConfig } from '#auth/define_config'
import { FeatureNotRegistered } from '#auth/errors'
import type { PasswordBroker } from '#auth/password_reset/broker'
import { createPasswordBroker } from '#auth/password_reset/create'
import { Purges } from '#auth/purges'
import type {
  AuthFeatures,
  Credentials,
  ErrorLog,
  Guard,
  GuardDriver,
  GuardFactory,
  UserFields,
} from '#auth/types'
import { createUserProvider } from '#auth/user_providers/create'
import { Users } from '#auth/users'

/** Which provider brings which driver, for the message when it is missing. */
const DRIVER_PROVIDERS: Record<string, { name: string; module: string }> = {
  session: { name: 'AuthSessionProvider', module: '#providers/auth_session_provider' },
  token: { name: 'AuthApiTokenProvider', module: '#providers/auth_api_token_provider' },
  oauth2: { name: 'AuthOAuth2Provider', module: '#providers/auth_oauth2_provider' },
}

/** Seconds between two purges of expired reset tokens. */
const RESET_TOKEN_PURGE_INTERVAL = 300

/** `passport` is an alias, and the driver of a spec that names none (spec 1, Guard specs). */
function driverName(driver: string = 'passport') {
  return driver === 'passport' ? 'oauth2' : driver
}

/**
 * Knows the guards, the user providers and what the features offer each other.
 * Bound in the container as `auth_manager`.
 */
export class AuthManager extends Macroable {
  readonly #drivers = new Map<string, GuardDriver>()
  readonly #guards = new Map<string, GuardFactory>()
  readonly #users = new Map<string, Users>()
  readonly #brokers = new Map<string, PasswordBroker>()
  readonly #features = new Map<string, unknown>()

  /** What the features delete when its time has come. */
  readonly purges = new Purges()

  /** What requests leave to be done after their reply. */
  readonly background: Background

  /** @param logger hears of failures that no caller waits for */
  constructor(
    readonly config: ResolvedAuthConfig,
    readonly hasher: Pick<Hash, 'make' | 'verify' | 'needsReHash'>,
    readonly logger: ErrorLog = console
  ) {
    super()
    this.background = new Background(logger)
  }

  /** Adds a driver; called by the provider of a feature while the application boots. */
  registerDriver(driver: GuardDriver): this {
    this.#drivers.set(driver.name, driver)
    return this
  }

  /**
   * A driver by its name.
   *
   * @param needer what needs it, for the message: `The guard "web"`, say
   * @throws {FeatureNotRegistered} when it belongs to a provider that is not registered
   * @throws {InvalidArgumentsException} when there is no such driver
   */
  driver(name: string, needer: string): GuardDriver {
    const driver = this.#drivers.get(name)
    if (driver) {
      return driver
    }
    if (name in DRIVER_PROVIDERS) {
      throw new FeatureNotRegistered(needer, name, DRIVER_PROVIDERS[name])
    }
    throw new InvalidArgumentsException(`${needer} has the unknown driver "${name}"`)
  }

  /** Offers something to the other features under a name. */
  registerFeature<Name extends keyof AuthFeatures>(name: Name, feature: AuthFeatures[Name]): this {
    this.#features.set(name, feature)
    return this
  }

  /** What a feature offers, or undefined when its provider is not registered. */
  feature<Name extends keyof AuthFeatures>(name: Name): AuthFeatures[Name] | undefined {
    return this.#features.get(name) as AuthFeatures[Name] | undefined
  }

  /**
   * Builds user providers, guards and password brokers from the config (spec 1, Rules checked at startup).
   *
   * @throws {FeatureNotRegistered} when a guard's driver belongs to a provider that is not registered
   * @throws {InvalidArgumentsException} for an unknown driver, user provider or default broker
   */
  async build(): Promise<void> {
    for (const [name, spec] of Object.entries(this.config.providers)) {
      const provider = await createUserProvider(name, spec, this.hasher)
      const { passwordKey, passwordField, usernameField } = spec as UserFields
      this.#users.set(
        name,
        new Users(name, provider, this.hasher, passwordKey ?? passwordField, usernameField)
      )
    }
    for (const name of Object.keys(this.config.guards)) {
      this.#guards.set(name, this.#buildGuard(name))
    }
    for (const name of Object.keys(this.config.passwords)) {
      await this.#buildBroker(name)
    }
    if (this.hasBrokers) {
      this.broker()
    }
  }

  /** Loads what the first request of every user provider would otherwise wait for. */
  async warmUp(): Promise<void> {
    await Promise.all([...this.#users.values()].map((users) => users.warmUp()))
  }

  get defaultGuard(): string {
    return this.config.default.guard
  }

  /** Names of the configured guards. */
  get guardNames(): string[] {
    return Object.keys(this.config.guards)
  }

  hasGuard(name: string): boolean {
    return this.#guards.has(name)
  }

  /** Name of the driver of a guard, its alias resolved; null for an unknown guard. */
  guardDriver(name: string): string | null {
    const spec = this.config.guards[name]
    return spec ? driverName(spec.driver) : null
  }

  /**
   * Name of a guard with this driver: the given one, or else the default guard when
   * it has the driver, or else the first one that has.
   *
   * @throws {InvalidArgumentsException} when there is none
   */
  guardWith(driver: string, name?: string): string {
    const candidates = name === undefined ? [this.defaultGuard, ...this.guardNames] : [name]
    const found = candidates.find((candidate) => this.guardDriver(candidate) === driver)
    if (found === undefined) {
      throw new InvalidArgumentsException(
        name === undefined
          ? `There is no guard with the driver "${driver}" in config/auth.ts`
          : `"${name}" is no guard with the driver "${driver}" in config/auth.ts`
      )
    }
    return found
  }

  /**
   * A guard for one request.
   *
   * @throws {RuntimeException} when no guard has this name
   */
  guard(name: string, ctx: HttpContext): Guard {
    const factory = this.#guards.get(name)
    if (!factory) {
      throw new RuntimeException(`There is no guard "${name}" in config/auth.ts`)
    }
    return factory(ctx)
  }

  /**
   * The users of a user provider.
   *
   * @throws {InvalidArgumentsException} when no provider has this name
   */
  users(name: string): Users {
    const users = this.#users.get(name)
    if (!users) {
      throw new InvalidArgumentsException(`There is no user provider "${name}" in config/auth.ts`)
    }
    return users
  }

  /** Whether a user provider has this name. */
  hasUsers(name: string): boolean {
    return this.#users.has(name)
  }

  /**
   * The users of a guard; of the default guard when none is named.
   *
   * @throws {RuntimeException} when no guard has this name
   */
  usersOf(guard: string = this.defaultGuard): Users {
    const spec = this.config.guards[guard]
    if (!spec) {
      throw new RuntimeException(`There is no guard "${guard}" in config/auth.ts`)
    }
    return this.users(spec.provider)
  }

  /** Whether people can reset their password: `passwords` is set in `config/auth.ts`. */
  get hasBrokers(): boolean {
    return this.#brokers.size > 0
  }

  /**
   * A password broker; the one of `default.passwords` when none is named.
   *
   * @throws {InvalidArgumentsException} when no broker has this name
   */
  broker(name: string = this.config.default.passwords): PasswordBroker {
    const broker = this.#brokers.get(name)
    if (!broker) {
      throw new InvalidArgumentsException(`There is no password broker "${name}" in config/auth.ts`)
    }
    return broker
  }

  /**
   * The active user whom the credentials belong to, or null. This is how a
   * caller signs in by a password, whatever it gets for it: failures count
   * against its e-mail and address.
   *
   * @throws {Throttled} when too many attempts have failed
   */
  async verifyLogin<User>(
    users: Users<User>,
    credentials: Credentials,
    ctx: HttpContext
  ): Promise<User | null> {
    const throttle = this.feature('throttle')
    const verify = () => users.verify(credentials)
    const username = String(credentials[users.usernameKey] ?? '').toLowerCase()
    return throttle ? throttle.guard('failedLogins', username, ctx, verify) : verify()
  }

  /** The authentication of one request, `ctx.auth`. */
  createAuthenticator(ctx: HttpContext): Authenticator {
    return new Authenticator(ctx, this)
  }

  async #buildBroker(name: string) {
    const broker = await createPasswordBroker(name, this.config.passwords[name], this)
    this.#brokers.set(name, broker)
    this.purges.add({
      name: `expired reset tokens of "${name}"`,
      interval: RESET_TOKEN_PURGE_INTERVAL,
      run: () => broker.purge(),
    })
  }

  #buildGuard(name: string): GuardFactory {
    const spec = this.config.guards[name]
    const driver = this.driver(driverName(spec.driver), `The guard "${name}"`)
    return driver.create({ name, spec, users: this.users(spec.provider), manager: this })
  }
}
