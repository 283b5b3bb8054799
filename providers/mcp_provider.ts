import KitMcpProvider from 'adonis-auth-kit/providers/mcp_provider'

/** MCP servers, `config/mcp.ts`. Protected servers need AuthOAuth2Provider. */
export default class McpProvider extends KitMcpProvider {
  /** Mounted here and not in a preload, so that an application without this provider has no MCP routes. */
  override async start() {
    await super.start()
    await import('#start/mcp')
  }
}
