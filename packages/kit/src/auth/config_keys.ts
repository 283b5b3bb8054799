import type { AuthConfig, PasswordBrokerSpec } from '#auth/define_config'
import type { GuardSpec } from '#auth/guards/driver'
import type {
  LucidUserProviderSpec,
  MemoryUserProviderSpec,
  UserFields,
} from '#auth/user_providers/user_provider'
import { type KeysOf, assertKnownKeys } from '#config/checks'
import { STORE_DEFAULTS, type StoreConfig } from '#config/store_config'

/** Resolves the alias `passport`, which is also the driver of a spec that names none. */
export function driverName(driver: string = 'passport'): string {
  return driver === 'passport' ? 'oauth2' : driver
}

const DEFAULT: KeysOf<NonNullable<AuthConfig['default']>> = { guard: true, passwords: true }
const GUARD: KeysOf<Omit<GuardSpec, 'audience'>> = { driver: true, provider: true }
const OAUTH2: KeysOf<GuardSpec> = { ...GUARD, audience: true }
/** By driver. Guards with a custom driver may have any keys. */
const GUARDS = new Map(Object.entries({ session: GUARD, token: GUARD, oauth2: OAUTH2 }))

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

const BROKER: KeysOf<
  Pick<PasswordBrokerSpec, 'provider' | 'expire' | 'throttle'> &
    StoreConfig<unknown> & { model?: unknown }
> = { provider: true, expire: true, throttle: true, model: true, ...STORE_DEFAULTS }

/**
 * Refuses unknown keys in nested settings. Unknown drivers are refused where something is built.
 * @throws {InvalidArgumentsException} naming the nearest setting
 */
export function assertNestedKeys(
  config: Required<Pick<AuthConfig, 'default' | 'guards' | 'providers' | 'passwords'>>
): void {
  assertKnownKeys('AuthConfig "default"', config.default, DEFAULT)
  for (const [name, spec] of Object.entries(config.guards)) {
    assertKnownKeys(`The guard "${name}"`, spec, GUARDS.get(driverName(spec?.driver)) ?? spec)
  }
  for (const [name, spec] of Object.entries(config.providers)) {
    assertKnownKeys(`The user provider "${name}"`, spec, USER_PROVIDERS.get(spec?.driver) ?? spec)
  }
  for (const [name, spec] of Object.entries(config.passwords)) {
    assertKnownKeys(`The password broker "${name}"`, spec, BROKER)
  }
}
