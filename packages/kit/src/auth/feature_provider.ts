import type { ApplicationService, ContainerBindings } from '@adonisjs/core/types'
import type { Edge } from 'edge.js'

import { assertAuthProvider } from '#auth/core_provider'
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
