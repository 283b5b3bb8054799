import { assertArgument, assertKind, markResolved } from '#config/checks'
import { type Resolved, type StoreConfig, withStore } from '#config/store_config'
import type { ProviderFactory } from '#social/presets'
import type { IdentityProvider } from '#social/providers/provider'
import type { SocialAccounts, SocialNotifier, SocialStore } from '#social/types'

/** The settings of `config/social.ts`. */
export interface SocialConfig extends StoreConfig<SocialStore> {
  /** Providers by their names, which are part of their addresses: `/auth/google/callback`. Null: its variables are not set. */
  providers: Record<string, ProviderFactory>
  /** How accounts are found and made. */
  accounts: SocialAccounts
  /** Delivers the links that verify addresses. */
  notifier: SocialNotifier
  /** Minutes that a link works which verifies an address. Default 60. */
  expire?: number
}

export type ResolvedSocialConfig = Omit<Resolved<SocialConfig>, 'providers'> & {
  providers: ReadonlyMap<string, IdentityProvider>
}

/** @throws {InvalidArgumentsException} for a wrong setting, or a name that cannot be part of an address */
export function defineConfig(config: SocialConfig): ResolvedSocialConfig {
  const settings = withStore('SocialConfig', config, 'memory', {
    providers: undefined,
    accounts: undefined,
    notifier: undefined,
    expire: 60,
  })
  for (const setting of ['providers', 'accounts', 'notifier'] as const) {
    assertKind('SocialConfig', setting, settings[setting], 'an object')
  }
  const providers = new Map<string, IdentityProvider>()
  const misnamed =
    'SocialConfig: the names in "providers" are made of lowercase letters, digits, "-" and "_"'
  for (const [name, create] of Object.entries(config.providers)) {
    assertArgument(/^[a-z][a-z0-9_-]*$/.test(name), misnamed)
    create && providers.set(name, create(name))
  }
  return markResolved({ ...settings, providers })
}
