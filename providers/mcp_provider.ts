import KitMcpProvider from 'adonis-auth-kit/providers/mcp_provider'

/** MCP servers, `config/mcp.ts`; `start/mcp.ts` mounts them. Protected servers need AuthOAuth2Provider. */
export default class McpProvider extends KitMcpProvider {}
