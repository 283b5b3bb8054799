import { isObject } from '#mcp/protocol/json_rpc'

/** The extension MCP Apps, of revision 2026-01-26. */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui'

export const APP_MIME_TYPE = 'text/html;profile=mcp-app'

/** Whether a client shows pages (MCP Apps, "Client<>Server Capability Negotiation"). */
export function showsApps(capabilities: unknown): boolean {
  const extensions = isObject(capabilities) ? capabilities.extensions : undefined
  const settings = isObject(extensions) ? extensions[APPS_EXTENSION] : undefined
  return (
    isObject(settings) &&
    Array.isArray(settings.mimeTypes) &&
    settings.mimeTypes.includes(APP_MIME_TYPE)
  )
}
