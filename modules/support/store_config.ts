import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

export type StoreName = 'memory' | 'database' | 'instance'

/** The settings every persistent piece of state shares (spec 1, Stores). */
export interface StoreConfig<Store> {
  /** `orm` is a deprecated alias of `database`. */
  store?: StoreName | 'orm'
  /** Database connection of the `database` store; the default connection when absent. */
  connection?: string
  /** The ready store of the `instance` store. */
  instance?: Store
}

const REMOVED = ['sql', 'async_sql']

/**
 * Checks the store of a configuration and returns its name.
 *
 * @param setting how the setting is called in messages, `SessionConfig` say
 * @throws {InvalidArgumentsException} for a removed or unknown store, and for `instance` without one
 */
export function resolveStoreName(
  setting: string,
  config: StoreConfig<unknown>,
  fallback: StoreName
): StoreName {
  const store: string = config.store ?? fallback

  if (REMOVED.includes(store)) {
    throw new InvalidArgumentsException(
      `${setting}: the store "${store}" was removed. Use "database" instead`
    )
  }
  if (store === 'orm') {
    process.emitWarning(
      `${setting}: the store "orm" is a deprecated alias of "database"`,
      'DeprecationWarning'
    )
    return 'database'
  }
  if (store !== 'memory' && store !== 'database' && store !== 'instance') {
    throw new InvalidArgumentsException(
      `${setting}: unknown store "${store}". Use "memory", "database" or "instance"`
    )
  }
  if (store === 'instance' && !config.instance) {
    throw new InvalidArgumentsException(
      `${setting}: the store "instance" needs a ready store under the key "instance"`
    )
  }
  return store
}
