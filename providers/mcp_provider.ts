import type { ApplicationService } from '@adonisjs/core/types'

import { defineConfig, type ResolvedMcpConfig } from '#mcp/define_config'
import { McpManager } from '#mcp/manager'
import { Server } from '#mcp/server'

declare module '@adonisjs/core/types' {
  interface ContainerBindings {
    mcp: McpManager
  }
}

/** MCP: binds the manager as `mcp`, and mounts the servers that `start/mcp.ts` names. */
export default class McpProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    this.app.container.singleton('mcp', async (resolver) => {
      const config = this.app.config.get<ResolvedMcpConfig>('mcp', defineConfig())
      return new McpManager(this.app, await resolver.make('router'), config)
    })
  }

  async boot() {
    Server.manager = await this.app.container.make('mcp')
  }

  /** The routes go with the provider: without it they are not there. */
  async start() {
    await import('#start/mcp')
  }

  async ready() {
    const manager = await this.app.container.make('mcp')
    await manager.prepare()
  }
}
