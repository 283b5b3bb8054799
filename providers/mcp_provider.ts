import type { ApplicationService } from '@adonisjs/core/types'

import { defineConfig } from '#mcp/define_config'
import { announcer } from '#mcp/events'
import { McpManager } from '#mcp/manager'
import { Server } from '#mcp/server'
import { resolveConfig } from '#support/config_file'

declare module '@adonisjs/core/types' {
  interface ContainerBindings {
    mcp: McpManager
  }
}

/** MCP: binds the manager as `mcp`, and loads `start/mcp.ts`, which mounts the servers. */
export default class McpProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    this.app.container.singleton('mcp', async (resolver) => {
      const config = resolveConfig(this.app.config.get('mcp'), defineConfig)
      const emitter = await resolver.make('emitter')
      return new McpManager(this.app, await resolver.make('router'), config, announcer(emitter))
    })
  }

  async boot() {
    const manager = await this.app.container.make('mcp')
    manager.addMetadataRoutes()
    Server.manager = manager
  }

  /** Loaded here and not as a preload, so that an app without this provider has no MCP routes. */
  async start() {
    await this.#useResourceServer()
    await import('#start/mcp')
  }

  async ready() {
    const manager = await this.app.container.make('mcp')
    await manager.prepare()
    await this.#warnWithoutIssuer(manager)
  }

  /** The metadata names the origin of `url` then, and tokens are not bound to an issuer. */
  async #warnWithoutIssuer(manager: McpManager) {
    if (this.app.inProduction && manager.hasUnknownIssuer) {
      const logger = await this.app.container.make('logger')
      logger.warn('Set OAUTH_ISSUER: MCP clients look for the authorization server under that URL')
    }
  }

  /** Without the OAuth server, protected mounts accept nobody, and optional ones anonymous callers. */
  async #useResourceServer() {
    if (!this.app.container.hasBinding('auth_manager')) {
      return
    }
    const auth = await this.app.container.make('auth_manager')
    const resources = auth.feature('protectedResources')
    if (resources) {
      const manager = await this.app.container.make('mcp')
      manager.useResourceServer(resources)
    }
  }
}
