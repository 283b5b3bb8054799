import type { ErrorLog } from '#process/background'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import { loadConfiguredKey } from '#oauth2/keys/configured_key'
import { KeySet } from '#oauth2/keys/key_set'
import type { KeyStore } from '#oauth2/keys/key_store'
import { defaultAlgorithm } from '#oauth2/keys/signing_key'
import { type Sealer, StoredKeys } from '#oauth2/keys/stored_keys'

export interface KeySetParts {
  config: Pick<ResolvedOAuth2Config, 'key' | 'algorithm' | 'keys' | 'openid'>
  /** The store of asymmetric keys; null when the setting `keys` is off. */
  store: KeyStore | null
  sealer: Sealer
  inProduction: boolean
  logger: ErrorLog & { warn(message: string): void }
}

/**
 * The keys that the configuration names.
 *
 * @throws {RuntimeException | InvalidArgumentsException} when the key of the configuration is missing or does not fit
 */
export async function createKeySet(parts: KeySetParts): Promise<KeySet> {
  const { config, store, sealer, inProduction, logger } = parts
  const warn = (message: string) => logger.warn(message)
  const stored = store && new StoredKeys(store, sealer, logger)
  if (stored && config.keys.store === 'memory') {
    await stored.add(defaultAlgorithm(config), Date.now())
    warn(
      'OAuthKeysConfig: the key in the store "memory" ends with the process, and access tokens with it'
    )
  }
  const configured = await loadConfiguredKey(config, { inProduction, warn }, stored !== null)
  return new KeySet({ configured, stored, publishFor: config.keys.publishFor, logger })
}
