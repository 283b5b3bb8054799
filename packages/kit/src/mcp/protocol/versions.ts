/** The stateless revision: each request has its version and capabilities in `_meta`. */
export const MODERN_VERSION = '2026-07-28'

export const NEWEST_LEGACY_VERSION = '2025-11-25'

/** Revisions with the `initialize` handshake, newest first. */
export const LEGACY_VERSIONS: readonly string[] = [
  NEWEST_LEGACY_VERSION,
  '2025-06-18',
  '2025-03-26',
]

/** All supported revisions, newest first. */
export const SUPPORTED_VERSIONS: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS]

/** The revision of a request without the `MCP-Protocol-Version` header (2025-11-25, "Protocol Version Header"). */
export const ASSUMED_VERSION = '2025-03-26'

/** The version in the answer to `initialize`: the requested one if supported, else the newest legacy one. */
export function negotiate(requested: string): string {
  return LEGACY_VERSIONS.includes(requested) ? requested : NEWEST_LEGACY_VERSION
}

/** Reserved keys of `_meta` (2026-07-28, "_meta"). */
export const MetaKey = {
  ProtocolVersion: 'io.modelcontextprotocol/protocolVersion',
  ClientInfo: 'io.modelcontextprotocol/clientInfo',
  ClientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  LogLevel: 'io.modelcontextprotocol/logLevel',
  ServerInfo: 'io.modelcontextprotocol/serverInfo',
  SubscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const
