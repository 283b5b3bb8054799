import type { ApplicationService, ContainerBindings } from '@adonisjs/core/types'
import type { Edge } from 'edge.js'

import { assertRuntime, resolveConfig } from '#config/checks'

export abstract class KitProvider {
  constructor(protected app: ApplicationService) {}

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

  /** The same for a file that the provider cannot do without. @throws {RuntimeException} when there is none */
  protected requireConfig<Settings, Resolved extends object>(
    name: string,
    defineConfig: (settings: Settings) => Resolved
  ): Resolved {
    const isThere = Boolean(this.app.config.get(name))
    assertRuntime(isThere, `There is no config/${name}.ts, or it exports nothing`)
    return this.config(name, defineConfig)
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
