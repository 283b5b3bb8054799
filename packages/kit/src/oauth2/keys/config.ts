import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import { type KeysOf, assertKnownKeys, positiveNumber } from '#config/checks'
import { type StoreConfig, type StoreName, resolveStoreName } from '#config/store_config'
import type { KeyStore } from '#oauth2/keys/key_store'

/**
 * Asymmetric keys beside `key`. `store` is `none` (the default: `key` alone signs), `database`, `memory`
 * (one key, which ends with the process) or `instance`.
 */
export interface OAuthKeysConfig extends Omit<StoreConfig<KeyStore>, 'store'> {
  store?: 'none' | StoreName
  /** Seconds for which a new key is published before it signs. Default 3600. */
  publishFor?: number
}

export type ResolvedKeysConfig = Omit<StoreConfig<KeyStore>, 'store'> & {
  store: 'none' | StoreName
  publishFor: number
}

const SETTINGS: KeysOf<OAuthKeysConfig> = {
  store: true,
  connection: true,
  instance: true,
  publishFor: true,
}

/**
 * Fills in the defaults.
 *
 * @throws {InvalidArgumentsException} for an unknown setting, or a value that cannot work
 */
export function resolveKeys(config: OAuthKeysConfig = {}): ResolvedKeysConfig {
  assertKnownKeys('OAuthKeysConfig', config, SETTINGS)
  const { store = 'none', publishFor = 3600, ...rest } = config
  positiveNumber('OAuthKeysConfig', 'publishFor', publishFor)
  if (store === 'none') {
    if (rest.instance) {
      throw new InvalidArgumentsException(
        'OAuthKeysConfig: "instance" is not used. Set "store" to "instance"'
      )
    }
    return { store, publishFor }
  }
  return {
    ...rest,
    store: resolveStoreName('OAuthKeysConfig', { ...rest, store }, 'database'),
    publishFor,
  }
}
