import type { LucidModel } from '@adonisjs/lucid/types/model'

import type { GuardSpec } from '#auth/guards/driver'
import type {
  LucidUserProviderSpec,
  MemoryUserProviderSpec,
  UserFields,
  UserProviderSpec,
} from '#auth/user_providers/user_provider'
import {
  assertArgument,
  assertKind,
  assertKnownKeys,
  type KeysOf,
  markResolved,
  resolveConfig,
  withDefaults,
} from '#config/checks'
import { STORE_DEFAULTS } from '#config/store_config'
import type { MaybePromise } from '#process/maybe_promise'

/** Deprecated here: settings that moved to `config/oauth2.ts`, which still falls back to them. */
export const DEPRECATED_SETTINGS = [
  'key',
  'algorithm',
  'accessTokenTtl',
  'refreshTokenTtl',
  'personalAccessTokenTtl',
  'authorizationCodeTtl',
  'tokens',
  'issuer',
  'resources',
  'scopes',
  'pkceMethods',
  'requirePkce',
] as const

export type DeprecatedSetting = (typeof DEPRECATED_SETTINGS)[number]

/** A password broker. Its tokens live in the table `password_reset_tokens` unless `store` names another place. */
export interface PasswordBrokerSpec {
  /** Name of a user provider in `config/auth.ts`. */
  provider: string
  /** Minutes a reset token lives. Default 60. */
  expire?: number
  /** Seconds between two reset tokens for one e-mail; 0 turns it off. Default 60. */
  throttle?: number
}

/** Delivers a reset token. It may be sync or async. */
export type PasswordResetNotifier = (email: string, token: string) => MaybePromise<void>
/** Says whether a password has been made public. When it throws, the password is accepted. */
export type BreachedPasswordService = (password: string) => MaybePromise<boolean>
type GuardSpecs = Record<string, GuardSpec>
type UserProviderSpecs = Record<string, UserProviderSpec>

/** The settings of `config/auth.ts`. */
export interface AuthConfig<
  Guards extends GuardSpecs = GuardSpecs,
  Providers extends UserProviderSpecs = UserProviderSpecs,
  DefaultGuard extends string = string,
> {
  default?: {
    /** Guard used when none is named, by the pages of accounts, too: these need a session guard. Default `web`. */
    guard?: DefaultGuard
    /** Broker used by the reset routes. Default `users`. */
    passwords?: string
  }
  /** Guards by name: `sessionGuard()`, `apiTokenGuard()`, `oauth2Guard()`, or `{ driver, provider }`. */
  guards?: Guards
  /**
   * User providers by name: a class of your own, or `lucidUserProvider()`, whose settings name attributes: `usernameField`
   * (default `email`), `passwordField` (default `password`), `idField`, `isActive`; `passwordKey` names a credential.
   */
  providers?: Providers
  /** Password brokers by name. Setting it mounts the `/password/*` routes. */
  passwords?: Record<string, PasswordBrokerSpec>
  /** Cost of new password hashes, 4 to 31. Default 12. */
  bcryptRounds?: number
  /**
   * Seconds that a request waits for its password to be hashed. When it would take longer, it is refused at once: 503 with
   * `Retry-After`. Default 5.
   */
  hashingPatience?: number
  /** Delivers a reset token to its user. */
  passwordResetNotifier?: PasswordResetNotifier | null
  /**
   * Whether a password has been made public by a data breach; asked for every new password that passes the other
   * rules. Default: nobody is asked.
   */
  isBreachedPassword?: BreachedPasswordService | null
  /** Returns the reset token in the answer of `/password/email`. For local development only. */
  debugExposeResetToken?: boolean
  /**
   * Gives every Bearer challenge the parameters of RFC 6750 §3 (`error`, `error_description`,
   * `scope`), and a 403 for a missing scope a challenge. MCP mounts always do. Default false.
   */
  challengeDetails?: boolean
}

export type ResolvedAuthConfig<
  Guards extends GuardSpecs = GuardSpecs,
  Providers extends UserProviderSpecs = UserProviderSpecs,
  DefaultGuard extends string = string,
> = Required<Omit<AuthConfig, 'default' | 'guards' | 'providers'>> & {
  default: { guard: DefaultGuard; passwords: string }
  guards: Guards
  providers: Providers
  /** Deprecated OAuth settings found in the config. */
  deprecated: Partial<Record<DeprecatedSetting, unknown>>
}

const DEFAULTS = {
  default: {},
  guards: {},
  providers: {},
  passwords: {},
  bcryptRounds: 12,
  hashingPatience: 5,
  passwordResetNotifier: null,
  isBreachedPassword: null,
  debugExposeResetToken: false,
  challengeDetails: false,
}

const DEFAULT: KeysOf<NonNullable<AuthConfig['default']>> = { guard: true, passwords: true }
const GUARD: KeysOf<Omit<GuardSpec, 'audience'>> = { driver: true, provider: true }
const OAUTH2: KeysOf<GuardSpec> = { ...GUARD, audience: true }
/** By driver. Guards with a custom driver may have any keys. */
const GUARDS = new Map(
  Object.entries({ session: GUARD, token: GUARD, oauth2: OAUTH2, passport: OAUTH2 })
)

const USER_FIELDS: KeysOf<UserFields> = {
  usernameField: true,
  passwordField: true,
  passwordKey: true,
  idField: true,
  isActive: true,
}
const LUCID: KeysOf<LucidUserProviderSpec> = { driver: true, model: true, ...USER_FIELDS }
const MEMORY: KeysOf<MemoryUserProviderSpec> = { driver: true, users: true, ...USER_FIELDS }

const USER_PROVIDERS = new Map<string, object>([
  ...['lucid', 'orm', 'model', 'async_model'].map((driver): [string, object] => [driver, LUCID]),
  ['memory', MEMORY],
  ['instance', { driver: true, instance: true, ...USER_FIELDS }],
  ['factory', { driver: true, factory: true, ...USER_FIELDS }],
])

const BROKER_KEYS = { provider: true, expire: true, throttle: true, model: true }
const BROKER: KeysOf<PasswordBrokerSpec> = { ...BROKER_KEYS, ...STORE_DEFAULTS }

/**
 * Refuses unknown keys in nested settings. Unknown drivers are refused where something is built.
 * @throws {InvalidArgumentsException} naming the nearest setting
 */
function assertNestedKeys(config: Required<AuthConfig>) {
  assertKnownKeys('AuthConfig "default"', config.default, DEFAULT)
  for (const [name, spec] of Object.entries(config.guards)) {
    assertKnownKeys(`The guard "${name}"`, spec, GUARDS.get(spec?.driver ?? 'passport') ?? spec)
  }
  for (const [name, spec] of Object.entries(config.providers)) {
    assertKnownKeys(`The user provider "${name}"`, spec, USER_PROVIDERS.get(spec?.driver) ?? spec)
  }
  for (const [name, spec] of Object.entries(config.passwords)) {
    assertKnownKeys(`The password broker "${name}"`, spec, BROKER)
  }
}

/** @throws {InvalidArgumentsException} for an unknown setting, or a number out of range */
export function defineConfig<
  const Guards extends GuardSpecs = {},
  Providers extends UserProviderSpecs = {},
  const DefaultGuard extends Extract<keyof NoInfer<Guards>, string> = Extract<
    keyof NoInfer<Guards>,
    string
  >,
>(
  config: AuthConfig<Guards, Providers, DefaultGuard> & Partial<Record<DeprecatedSetting, unknown>>
): ResolvedAuthConfig<Guards, Providers, DefaultGuard> {
  const moved = Object.fromEntries(DEPRECATED_SETTINGS.map((name) => [name, true]))
  assertKnownKeys('AuthConfig', config, { ...DEFAULTS, ...moved })
  const given = Object.entries(config)
  const current: AuthConfig = Object.fromEntries(given.filter(([name]) => !moved[name]))
  const settings = withDefaults<AuthConfig, typeof DEFAULTS>('AuthConfig', current, DEFAULTS, {
    except: ['bcryptRounds'],
  })
  assertNestedKeys(settings)
  const { bcryptRounds: rounds } = settings
  const isCost = Number.isInteger(rounds) && rounds >= 4 && rounds <= 31
  assertArgument(isCost, 'AuthConfig: "bcryptRounds" must be between 4 and 31')
  for (const setting of ['passwordResetNotifier', 'isBreachedPassword'] as const) {
    if (settings[setting]) {
      assertKind('AuthConfig', setting, settings[setting], 'a function')
    }
  }
  const { guard, passwords }: NonNullable<AuthConfig['default']> = settings.default
  return markResolved({
    ...(settings as ResolvedAuthConfig<Guards, Providers, DefaultGuard>),
    default: { guard: (guard ?? 'web') as DefaultGuard, passwords: passwords ?? 'users' },
    deprecated: Object.fromEntries(
      given.filter(([name, value]) => moved[name] && value !== undefined)
    ),
  })
}

/** The settings that `config/auth.ts` exports, whichever way. @throws as `defineConfig` does */
export function resolveAuthConfig(exported: unknown): ResolvedAuthConfig {
  return resolveConfig(exported, defineConfig<GuardSpecs, UserProviderSpecs, string>)
}

/** A guard that recognises users by the session cookie. */
export function sessionGuard<const Provider extends string>(spec: { provider: Provider }) {
  return { driver: 'session', ...spec } as const
}

/** A guard that recognises users by opaque API tokens. */
export function apiTokenGuard<const Provider extends string>(spec: { provider: Provider }) {
  return { driver: 'token', ...spec } as const
}

/** A guard that recognises OAuth 2.1 access tokens; with an `audience`, those for that resource alone. */
export function oauth2Guard<const Provider extends string>(spec: {
  provider: Provider
  audience?: string | null
}) {
  return { driver: 'oauth2', ...spec } as const
}

export function lucidUserProvider<Model extends LucidModel>(
  spec: Omit<LucidUserProviderSpec<Model>, 'driver'>
): LucidUserProviderSpec<Model> {
  return { driver: 'lucid', ...spec }
}
