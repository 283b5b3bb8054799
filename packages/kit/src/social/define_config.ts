import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import { type KeysOf, assertKnownKeys, positiveNumber } from '#config/checks'
import { markResolved } from '#config/file'
import {
  STORE_KEYS,
  type StoreConfig,
  type StoreName,
  resolveStoreName,
} from '#config/store_config'
import type { ProviderFactory } from '#social/presets'
import type { IdentityProvider, SocialAccounts, SocialNotifier, SocialStore } from '#social/types'

/** The settings of `config/social.ts`. */
export interface SocialConfig extends StoreConfig<SocialStore> {
  /** Providers by their names, which are part of their addresses: `/auth/google/callback`. Null: its variables are not set. */
  providers: Record<string, ProviderFactory>
  /** How accounts are found and made. */
  accounts: SocialAccounts
  notifier: SocialNotifier
  /** Minutes that a link works which verifies an address. Default 60. */
  expire?: number
}

const SETTINGS: KeysOf<SocialConfig> = {
  ...STORE_KEYS,
  providers: true,
  accounts: true,
  notifier: true,
  expire: true,
}

export interface ResolvedSocialConfig {
  store: StoreName
  connection: string | undefined
  instance: SocialStore | undefined
  providers: ReadonlyMap<string, IdentityProvider>
  accounts: SocialAccounts
  notifier: SocialNotifier
  expire: number
}

/**
 * Fills in the defaults of the settings for signing in through providers.
 *
 * @throws {InvalidArgumentsException} for an unknown setting or store, a name that cannot be part of an address, and a time that is not above 0
 */
export function defineConfig(config: SocialConfig): ResolvedSocialConfig {
  assertKnownKeys('SocialConfig', config, SETTINGS)
  const providers = new Map<string, IdentityProvider>()
  for (const [name, create] of Object.entries(config.providers)) {
    if (!/^[a-z][a-z0-9_-]*$/.test(name)) {
      throw new InvalidArgumentsException(
        'SocialConfig: the names in "providers" are made of lowercase letters, digits, "-" and "_"'
      )
    }
    if (create) {
      providers.set(name, create(name))
    }
  }
  return markResolved({
    store: resolveStoreName('SocialConfig', config, 'memory'),
    connection: config.connection,
    instance: config.instance,
    providers,
    accounts: config.accounts,
    notifier: config.notifier,
    expire: positiveNumber('SocialConfig', 'expire', config.expire ?? 60),
  })
}
