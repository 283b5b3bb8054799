import type { Database } from '@adonisjs/lucid/database'

import { assertArgument, type DefaultsOf, type Filled, withDefaults } from '#config/checks'

export type StoreName = 'memory' | 'database' | 'instance'

/** The settings that every persistent piece of state has. */
export interface StoreConfig<Store> {
  /** Where rows are kept: `memory` (each process alone), `database`, or `instance`. `orm` is a deprecated alias of `database`. */
  store?: StoreName | 'orm'
  /** Database connection of the `database` store; the default connection when absent. */
  connection?: string
  /** The ready store of the `instance` store. */
  instance?: Store
}

/** The settings of a store for `withDefaults`: none has a default that every store has. */
export const STORE_DEFAULTS = { store: undefined, connection: undefined, instance: undefined }

/** A store configuration whose store has been checked. */
export type ResolvedStoreConfig<Store> = StoreConfig<Store> & { store: StoreName }

/** A configuration with a store, with its defaults; `Optional` are settings that have none. */
export type Resolved<
  Config extends StoreConfig<any>,
  Optional extends keyof Config = never,
> = Required<Omit<WithoutStore<Config>, Optional>> &
  Pick<Config, Optional> &
  ResolvedStoreConfig<NonNullable<Config['instance']>>

type WithoutStore<Config> = Omit<Config, keyof StoreConfig<unknown>>

/**
 * Checks the store of a configuration and returns its name.
 * @throws {InvalidArgumentsException} for a removed or unknown store, and for `instance` without one
 */
export function resolveStoreName(
  setting: string,
  config: StoreConfig<unknown>,
  fallback: StoreName
): StoreName {
  const store: string = config.store ?? fallback

  const isRemoved = ['sql', 'async_sql'].includes(store)
  assertArgument(!isRemoved, `${setting}: the store "${store}" was removed. Use "database" instead`)
  if (store === 'orm') {
    const warning = `${setting}: the store "orm" is a deprecated alias of "database"`
    process.emitWarning(warning, 'DeprecationWarning')
    return 'database'
  }
  const unknown = `${setting}: unknown store "${store}". Use "memory", "database" or "instance"`
  assertArgument(store === 'memory' || store === 'database' || store === 'instance', unknown)
  const missing = `${setting}: the store "instance" needs a ready store under the key "instance"`
  assertArgument(store !== 'instance' || config.instance, missing)
  return store
}

/**
 * A configuration that has a store, with its defaults.
 * @throws {InvalidArgumentsException} for a setting that nobody reads, and as `resolveStoreName` does
 */
export function withStore<
  Config extends StoreConfig<any>,
  const Defaults extends DefaultsOf<WithoutStore<Config>>,
>(owner: string, config: Config, fallback: StoreName, defaults: Defaults) {
  const settings = withDefaults<object, {}>(owner, config, { ...STORE_DEFAULTS, ...defaults })
  const store = resolveStoreName(owner, config, fallback)
  return { ...settings, store } as Filled<WithoutStore<Config>, Defaults> &
    ResolvedStoreConfig<NonNullable<Config['instance']>>
}

/**
 * Otherwise every request that uses it fails.
 * @throws {InvalidArgumentsException} for a connection that does not exist; none is the default one
 */
export function assertConnection(db: Database, name: string | undefined): void {
  const isThere = !name || db.manager.has(name)
  assertArgument(isThere, `There is no connection "${name}" in config/database.ts`)
}

/** Imports a model of the application: `() => import('#models/session')`. */
export type ModelImport<Model> = () => Promise<{ default: Model }>

/** The application's model; undefined when it has none, so that a store takes its own. */
export async function importModel<Model>(model: ModelImport<Model> | undefined) {
  const imported = await model?.()
  return imported?.default
}
