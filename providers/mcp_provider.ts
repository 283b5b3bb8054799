import type { ApplicationService } from '@adonisjs/core/types'

import { defineConfig } from '#mcp/define_config'
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
      return new McpManager(this.app, await resolver.make('router'), config)
    })
  }

  async boot() {
    Server.manager = await this.app.container.make('mcp')
  }

  /** Loaded here and not as a preload, so that an app without this provider has no MCP routes. */
  async start() {
    await import('#start/mcp')
  }

  async ready() {
    const manager = await this.app.container.make('mcp')
    await manager.prepare()
  }
}
