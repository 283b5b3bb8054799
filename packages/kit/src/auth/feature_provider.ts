import type { ApplicationService, ContainerBindings } from '@adonisjs/core/types'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Edge } from 'edge.js'

import { assertAuthProvider } from '#auth/core_provider'
import { resolveConfig } from '#config/file'
import type { ResolvedStoreConfig } from '#config/store_config'
import { type ModelImport, importModel } from '#database/models'
import { Purges } from '#database/purges'

export abstract class FeatureProvider {
  constructor(protected app: ApplicationService) {}

  /** @throws {RuntimeException} without AuthProvider */
  register(): void {
    assertAuthProvider(this.app, this.constructor.name)
  }

  protected make<Name extends keyof ContainerBindings>(name: Name) {
    return this.app.container.make(name) as Promise<ContainerBindings[Name]>
  }

  /** The settings of a config file, with their defaults. */
  protected config<Settings, Resolved extends object>(
    name: string,
    defineConfig: (settings: Settings) => Resolved
  ): Resolved {
    return resolveConfig(this.app.config.get(name), defineConfig)
  }

  /**
   * The store that settings name; the one in the database gets the application's model, where there is one. No other
   * asks for Lucid.
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
    return new Database(() => db.connection(config.connection), await importModel(config.model))
  }

  /** @param interval seconds between two runs */
  protected async purge(name: string, run: () => Promise<number>, interval = 300) {
    const purges = await this.app.container.make(Purges)
    purges.add({ name, interval, run })
  }

  protected async warn(message: string) {
    const logger = await this.make('logger')
    logger.warn(message)
  }

  /** Null in an application without pages. */
  protected async edge(): Promise<Edge | null> {
    return this.app.usingEdgeJS ? import('edge.js').then(({ default: edge }) => edge) : null
  }
}
