import type { AuthConfig, DeprecatedSetting, PasswordBrokerSpec } from '#auth/define_config'
import type { GuardSpec } from '#auth/guards/driver'
import type {
  LucidUserProviderSpec,
  MemoryUserProviderSpec,
  UserFields,
} from '#auth/user_providers/user_provider'
import { type KeysOf, assertKnownKeys } from '#config/checks'
import { STORE_KEYS, type StoreConfig } from '#config/store_config'

const SETTINGS: KeysOf<AuthConfig> = {
  default: true,
  guards: true,
  providers: true,
  passwords: true,
  bcryptRounds: true,
  hashingPatience: true,
  passwordResetNotifier: true,
  isBreachedPassword: true,
  debugExposeResetToken: true,
  challengeDetails: true,
}

const DEFAULT: KeysOf<NonNullable<AuthConfig['default']>> = { guard: true, passwords: true }

const GUARD: KeysOf<Omit<GuardSpec, 'audience'>> = { driver: true, provider: true }
const OAUTH2_GUARD: KeysOf<GuardSpec> = { ...GUARD, audience: true }

/** By driver. A guard with a driver of the application's own has whatever keys that driver reads. */
const GUARDS = new Map<string | undefined, Record<string, true>>([
  ['session', GUARD],
  ['token', GUARD],
  ['oauth2', OAUTH2_GUARD],
  ['passport', OAUTH2_GUARD],
  [undefined, OAUTH2_GUARD],
])

const USER_FIELDS: KeysOf<UserFields> = {
  usernameField: true,
  passwordField: true,
  passwordKey: true,
  idField: true,
  isActive: true,
}
const LUCID: KeysOf<LucidUserProviderSpec> = { driver: true, model: true, ...USER_FIELDS }
const MEMORY: KeysOf<MemoryUserProviderSpec> = { driver: true, users: true, ...USER_FIELDS }

const USER_PROVIDERS = new Map<string, Record<string, true>>([
  ['lucid', LUCID],
  ['orm', LUCID],
  ['model', LUCID],
  ['async_model', LUCID],
  ['memory', MEMORY],
  ['instance', { driver: true, instance: true, ...USER_FIELDS }],
  ['factory', { driver: true, factory: true, ...USER_FIELDS }],
])

const BROKER: KeysOf<
  Pick<PasswordBrokerSpec, 'provider' | 'expire' | 'throttle'> &
    StoreConfig<unknown> & { model?: unknown }
> = {
  provider: true,
  expire: true,
  throttle: true,
  model: true,
  ...STORE_KEYS,
}

/**
 * Refuses settings of `config/auth.ts` that nobody reads, at every depth.
 *
 * @param moved settings that are read here still, though they belong elsewhere
 * @throws {InvalidArgumentsException} naming the nearest setting
 */
export function assertAuthKeys(config: AuthConfig, moved: readonly DeprecatedSetting[]): void {
  const deprecated = Object.fromEntries(moved.map((name) => [name, true as const]))
  assertKnownKeys('AuthConfig', config, { ...SETTINGS, ...deprecated })
  assertKnownKeys('AuthConfig "default"', config.default ?? {}, DEFAULT)

  for (const [name, spec] of Object.entries(config.guards ?? {})) {
    checkSpec(`The guard "${name}"`, spec, GUARDS.get(spec.driver))
  }
  for (const [name, spec] of Object.entries(config.providers ?? {})) {
    checkSpec(`The user provider "${name}"`, spec, USER_PROVIDERS.get(spec.driver))
  }
  for (const [name, spec] of Object.entries(config.passwords ?? {})) {
    assertKnownKeys(`The password broker "${name}"`, spec, BROKER)
  }
}

/** An unknown driver is refused where the guard or user provider is built. */
function checkSpec(owner: string, spec: object, known: Record<string, true> | undefined) {
  if (known) {
    assertKnownKeys(owner, spec, known)
  }
}
