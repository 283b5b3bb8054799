import { type KeysOf, assertKnownKeys, positiveNumber } from '#config/checks'
import { markResolved } from '#config/file'
import {
  STORE_KEYS,
  type StoreConfig,
  type StoreName,
  resolveStoreName,
} from '#config/store_config'
import type { SecurityLogStore } from '#security_log/types'

/** The settings of `config/security_log.ts`. */
export interface SecurityLogConfig extends StoreConfig<SecurityLogStore> {
  /** Days that an event is kept. Default 180. */
  retention?: number
  /** Seconds between two purges of old events. Default 3600. */
  purgeInterval?: number
}

const SETTINGS: KeysOf<SecurityLogConfig> = {
  ...STORE_KEYS,
  retention: true,
  purgeInterval: true,
}

export interface ResolvedSecurityLogConfig {
  store: StoreName
  connection: string | undefined
  instance: SecurityLogStore | undefined
  retention: number
  purgeInterval: number
}

/**
 * Fills in the defaults of the settings of the security log.
 *
 * @throws {InvalidArgumentsException} for an unknown setting or store, and for a time that is not above 0
 */
export function defineConfig(config: SecurityLogConfig = {}): ResolvedSecurityLogConfig {
  assertKnownKeys('SecurityLogConfig', config, SETTINGS)
  return markResolved({
    store: resolveStoreName('SecurityLogConfig', config, 'memory'),
    connection: config.connection,
    instance: config.instance,
    retention: positiveNumber('SecurityLogConfig', 'retention', config.retention ?? 180),
    purgeInterval: positiveNumber(
      'SecurityLogConfig',
      'purgeInterval',
      config.purgeInterval ?? 3600
    ),
  })
}
