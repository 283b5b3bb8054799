import { markResolved } from '#config/checks'
import { type Resolved, type StoreConfig, withStore } from '#config/store_config'
import type { SecurityLogStore } from '#security_log/security_log'

/** The settings of `config/security_log.ts`. */
export interface SecurityLogConfig extends StoreConfig<SecurityLogStore> {
  /** Days that an event is kept. Default 180. */
  retention?: number
  /** Seconds between two purges of old events. Default 3600. */
  purgeInterval?: number
}

export type ResolvedSecurityLogConfig = Resolved<SecurityLogConfig>

/** @throws {InvalidArgumentsException} for an unknown setting or store, or a time that is not above 0 */
export function defineConfig(config: SecurityLogConfig = {}): ResolvedSecurityLogConfig {
  const settings = { retention: 180, purgeInterval: 3600 }
  return markResolved(withStore('SecurityLogConfig', config, 'memory', settings))
}
