import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'

import { FeatureNotRegistered } from '#auth/errors'
import type { GuardDriver, GuardFactory } from '#auth/guards/driver'
import { Authenticator } from '#auth/authenticator'
import type { Authenticators } from '#auth/guard_types'
import type { ResolvedAuthConfig } from '#auth/define_config'
import { Features } from '#auth/features'
import type { Guard } from '#auth/guards/guard'
import { LucidUserProvider } from '#auth/user_providers/lucid'
import {
  type PasswordHash,
  type UserFields,
  type UserProvider,
  type UserProviderSpec,
  MemoryUserProvider,
} from '#auth/user_providers/user_provider'
import { Users } from '#auth/users'
import { assertArgument, assertKind, assertRuntime } from '#config/checks'

/** The providers of the drivers of this package, for the message when one is missing. */
const PROVIDERS = new Map([
  ['session', { name: 'AuthSessionProvider', file: 'auth_session_provider' }],
  ['token', { name: 'AuthApiTokenProvider', file: 'auth_api_token_provider' }],
  ['oauth2', { name: 'AuthOAuth2Provider', file: 'auth_oauth2_provider' }],
])

/** What a user provider cannot do without. */
const METHODS = [
  'retrieveById',
  'retrieveByCredentials',
  'validateCredentials',
  'getIdentifier',
  'updatePassword',
] as const

function assertProvider(name: string, provider: unknown): UserProvider {
  const missing = METHODS.filter((method) => typeof (provider as any)?.[method] !== 'function')
  const unusable = `The user provider "${name}" is not usable: it has no ${missing.join(', ')}`
  assertArgument(!missing.length, unusable)
  return provider as UserProvider
}

/** @throws {InvalidArgumentsException} for an unknown driver, or an object that lacks a method */
async function createUserProvider(name: string, spec: UserProviderSpec, hasher: PasswordHash) {
  switch (spec.driver) {
    case 'lucid':
    case 'orm':
    case 'model':
    case 'async_model':
      assertArgument(typeof spec.model === 'function', `The user provider "${name}" has no "model"`)
      return new LucidUserProvider(spec, hasher)
    case 'memory':
      return new MemoryUserProvider(spec, hasher)
    case 'instance':
      return assertProvider(name, spec.instance)
    case 'factory':
      assertKind(`The user provider "${name}"`, 'factory', spec.factory, 'a function')
      return assertProvider(name, await spec.factory())
    default:
      throw new InvalidArgumentsException(
        `The user provider "${name}" has the unknown driver "${(spec as { driver: unknown }).driver}". ` +
          `Use "lucid", "memory", "instance" or "factory"`
      )
  }
}

/** Resolves the alias `passport`, which is also the driver of a spec that names none. */
const driverName = (driver: string = 'passport') => (driver === 'passport' ? 'oauth2' : driver)

/** The guards and user providers of `config/auth.ts`: `auth_manager` in the container. */
export class AuthManager extends Features {
  readonly #drivers = new Map<string, GuardDriver>()
  readonly #guards = new Map<string, GuardFactory>()
  readonly #users = new Map<string, Users>()

  constructor(
    readonly config: ResolvedAuthConfig,
    readonly hasher: PasswordHash
  ) {
    super()
  }

  registerDriver(driver: GuardDriver): this {
    this.#drivers.set(driver.name, driver)
    return this
  }

  /**
   * @param requiredBy what requires the driver, for the error message, e.g. `The guard "web"`
   * @throws {FeatureNotRegistered} when it belongs to a provider that is not registered
   * @throws {InvalidArgumentsException} when there is no such driver
   */
  driver(name: string, requiredBy: string): GuardDriver {
    const driver = this.#drivers.get(name)
    if (driver) {
      return driver
    }
    const provider = PROVIDERS.get(name)
    throw provider
      ? new FeatureNotRegistered(requiredBy, name, provider)
      : new InvalidArgumentsException(`${requiredBy} has the unknown driver "${name}"`)
  }

  /**
   * @throws {FeatureNotRegistered} when a guard's driver belongs to a provider that is not registered
   * @throws {InvalidArgumentsException} for an unknown driver, user provider or default guard
   */
  async build(): Promise<void> {
    const { providers, guards } = this.config
    for (const [name, spec] of Object.entries(providers)) {
      const provider = await createUserProvider(name, spec, this.hasher)
      const { passwordField, passwordKey = passwordField, usernameField } = spec as UserFields
      const users = new Users(name, provider, this.hasher, passwordKey, usernameField)
      this.#users.set(name, users)
    }
    for (const [name, spec] of Object.entries(guards)) {
      const driver = this.driver(driverName(spec.driver), `The guard "${name}"`)
      this.#guards.set(name, driver.create({ name, spec, users: this.users(spec.provider) }))
    }
    /* An application without guards needs no default guard. */
    const noDefault = `AuthConfig: "default.guard" names the guard "${this.defaultGuard}", which is not in config/auth.ts`
    assertArgument(!this.#guards.size || this.#guards.has(this.defaultGuard), noDefault)
  }

  /** Loads models and hashes that the first request would otherwise wait for. */
  async warmUp(): Promise<void> {
    await Promise.all([...this.#users.values()].map((users) => users.warmUp()))
  }

  /** @throws {InvalidArgumentsException} for a setting of a user provider that names no attribute of its users */
  async assertFields(): Promise<void> {
    await Promise.all([...this.#users].map(([name, { provider }]) => provider.assertFields?.(name)))
  }

  /** Adds a guard that is not in the config: its name cannot clash with a configured one. */
  addGuard(name: string, factory: GuardFactory): this {
    const isFree = !(name in this.config.guards)
    assertArgument(isFree, `The guard "${name}" is in config/auth.ts already`)
    this.#guards.set(name, factory)
    return this
  }

  get defaultGuard(): string {
    return this.config.default.guard
  }

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
   * The given guard, or else the default or first one, that has the driver.
   * @throws {InvalidArgumentsException} when there is none
   */
  guardWith(driver: string, name?: string): string {
    const candidates = name === undefined ? [this.defaultGuard, ...this.guardNames] : [name]
    const found = candidates.find((candidate) => this.guardDriver(candidate) === driver)
    assertArgument(
      found !== undefined,
      name === undefined
        ? `There is no guard with the driver "${driver}" in config/auth.ts`
        : `"${name}" is not a guard with the driver "${driver}" in config/auth.ts`
    )
    return found
  }

  /** A guard for one request. @throws {RuntimeException} when no guard has this name */
  guard(name: string, ctx: HttpContext): Guard {
    const factory = this.#guards.get(name)
    assertRuntime(factory, `There is no guard "${name}" in config/auth.ts`)
    return factory(ctx)
  }

  /** The users of a user provider. @throws {InvalidArgumentsException} when it does not exist */
  users(name: string): Users {
    const users = this.#users.get(name)
    assertArgument(users, `There is no user provider "${name}" in config/auth.ts`)
    return users
  }

  hasUsers(name: string): boolean {
    return this.#users.has(name)
  }

  /** The users of a guard. @throws {RuntimeException} when no guard has this name */
  usersOf(guard: string = this.defaultGuard): Users {
    const spec = this.config.guards[guard]
    assertRuntime(spec, `There is no guard "${guard}" in config/auth.ts`)
    return this.users(spec.provider)
  }

  createAuthenticator<Guards = Authenticators>(ctx: HttpContext): Authenticator<Guards> {
    return new Authenticator(ctx, this)
  }
}
