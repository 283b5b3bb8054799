import type { Hash } from '@adonisjs/core/hash'
import type { HttpContext } from '@adonisjs/core/http'
import { InvalidArgumentsException, RuntimeException } from '@adonisjs/core/exceptions'
import Macroable from '@poppinss/macroable'

import { Authenticator } from '#auth/authenticator'
import type { ResolvedAuthConfig } from '#auth/define_config'
import { FeatureNotRegistered } from '#auth/errors'
import type { AuthFeatures } from '#auth/features'
import type { GuardDriver, GuardFactory, GuardSpec } from '#auth/guards/driver'
import type { Guard } from '#auth/guards/guard'
import type { UserFields } from '#auth/user_providers/specs'
import { createUserProvider } from '#auth/user_providers/create'
import { Users } from '#auth/users'

/** Which provider brings which driver, for the message when it is missing. */
const DRIVER_PROVIDERS = new Map([
  ['session', { name: 'AuthSessionProvider', module: '#providers/auth_session_provider' }],
  ['token', { name: 'AuthApiTokenProvider', module: '#providers/auth_api_token_provider' }],
  ['oauth2', { name: 'AuthOAuth2Provider', module: '#providers/auth_oauth2_provider' }],
])

/** `passport` is an alias, and the driver of a spec that names none (spec 1, Guard specs). */
function driverName(driver: string = 'passport') {
  return driver === 'passport' ? 'oauth2' : driver
}

/**
 * The guards, the user providers, and what the features offer each other.
 * Bound in the container as `auth_manager`.
 */
export class AuthManager extends Macroable {
  readonly #drivers = new Map<string, GuardDriver>()
  readonly #guards = new Map<string, GuardFactory>()
  readonly #users = new Map<string, Users>()
  readonly #features = new Map<string, unknown>()

  constructor(
    readonly config: ResolvedAuthConfig,
    readonly hasher: Pick<Hash, 'make' | 'verify' | 'needsReHash'>
  ) {
    super()
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
    const provider = DRIVER_PROVIDERS.get(name)
    if (provider) {
      throw new FeatureNotRegistered(needer, name, provider)
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
   * Builds user providers and guards from the config.
   *
   * @throws {FeatureNotRegistered} when a guard's driver belongs to a provider that is not registered
   * @throws {InvalidArgumentsException} for an unknown driver, user provider or default guard
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
    for (const [name, spec] of Object.entries(this.config.guards)) {
      this.#guards.set(name, this.#buildGuard(name, spec))
    }
    this.#assertDefaultGuard()
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

  /** The authentication of one request, `ctx.auth`. */
  createAuthenticator(ctx: HttpContext): Authenticator {
    return new Authenticator(ctx, this)
  }

  /** An application without guards needs no default. */
  #assertDefaultGuard() {
    if (this.#guards.size && !this.#guards.has(this.defaultGuard)) {
      throw new InvalidArgumentsException(
        `AuthConfig: "default.guard" names the guard "${this.defaultGuard}", which is not in config/auth.ts`
      )
    }
  }

  #buildGuard(name: string, spec: GuardSpec): GuardFactory {
    const driver = this.driver(driverName(spec.driver), `The guard "${name}"`)
    return driver.create({ name, spec, users: this.users(spec.provider), manager: this })
  }
}
