import KitMcpProvider from 'adonis-auth-kit/providers/mcp_provider'

/**
 * MCP servers, by `config/mcp.ts`; `start/mcp.ts` mounts them. Protected mounts need
 * AuthOAuth2Provider.
 */
export default class McpProvider extends KitMcpProvider {}
