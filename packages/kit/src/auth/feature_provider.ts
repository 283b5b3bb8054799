import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { assertAuthProvider } from '#auth/core_provider'
import {
  type ModelImport,
  type ResolvedStoreConfig,
  assertConnection,
  importModel,
} from '#config/store_config'
import { Purges } from '#database/purges'
import { KitProvider } from '#process/kit_provider'

export abstract class FeatureProvider extends KitProvider {
  /** @throws {RuntimeException} without AuthProvider */
  register(): void {
    assertAuthProvider(this.app, this.constructor.name)
  }

  /**
   * The store that settings name; the one in the database gets the application's model, where there is one. No other
   * asks for Lucid.
   * @throws {InvalidArgumentsException} for a connection that does not exist
   */
  protected async store<Store, Model>(
    config: ResolvedStoreConfig<Store> & { model?: ModelImport<Model> },
    Memory: new () => Store,
    Database: new (client: () => QueryClientContract, model?: Model) => Store
  ): Promise<Store> {
    if (config.store !== 'database') {
      return config.store === 'memory' ? new Memory() : config.instance!
    }
    const db = await this.make('lucid.db')
    const { connection } = config
    assertConnection(db, connection)
    return new Database(() => db.connection(connection), await importModel(config.model))
  }

  /** @param interval seconds between two runs */
  protected async purge(name: string, run: () => Promise<number>, interval = 300) {
    const purges = await this.app.container.make(Purges)
    purges.add({ name, interval, run })
  }
}
