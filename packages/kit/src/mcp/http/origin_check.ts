import type { ResolvedMcpConfig } from '#mcp/define_config'
import { assertRequest } from '#mcp/errors'
import type { ReadHeader } from '#mcp/protocol/era'
import { cors } from '#http/cors'
import { isLoopback } from '#http/loopback'
import type { RouteMark } from '#http/route_marks'

/** Host with an optional port (RFC 9110, section 7.2). */
const HOST = /^(\[[^\]]+\]|[^:]+)(?::\d+)?$/

/**
 * A page on a loopback origin may call a server that it reaches under a loopback name.
 * @throws {McpError} HTTP 403 for web pages of other origins, and for a host name that is not the server's, as
 * DNS rebinding sends it (2025-11-25 and 2026-07-28, "Transports", Security Warning)
 */
export function checkOrigin(header: ReadHeader, config: ResolvedMcpConfig): void {
  /* Not X-Forwarded-Host: a page on a rebound name can set it. */
  const host = hostName(header('host'))
  const isOwn = host !== null && (isLoopback(host) || config.allowedHosts.has(host))
  assertRequest(isOwn, 'The Host header is not a name of this server', 403)

  const origin = header('origin')
  const isAllowed = origin === undefined || isAllowedOrigin(origin, host, config)
  assertRequest(isAllowed, 'The Origin header is not an allowed origin', 403)
}

function isAllowedOrigin(origin: string, host: string | null, config: ResolvedMcpConfig): boolean {
  if (config.allowedOrigins.has(origin.toLowerCase())) {
    return true
  }
  const page = URL.canParse(origin) ? new URL(origin).hostname : ''
  return host !== null && isLoopback(page) && isLoopback(host)
}

function hostName(header: string | undefined): string | null {
  return HOST.exec(header ?? '')?.[1]?.toLowerCase() ?? null
}

/** Headers of requests (2025-11-25 and 2026-07-28, "Transports"). */
const REQUEST_HEADERS = [
  ...['Accept', 'Authorization', 'Content-Type', 'DPoP', 'Last-Event-ID'],
  ...['Mcp-Method', 'Mcp-Name', 'Mcp-Param-*', 'MCP-Protocol-Version', 'Mcp-Session-Id'],
]

/** Pages of the origins in `config/mcp.ts` may call a mount, and read its challenges. */
export function mountCors(config: ResolvedMcpConfig): RouteMark {
  return cors({
    origins: (origin, { request }) =>
      isAllowedOrigin(origin, hostName(request.header('host')), config),
    /* GET and DELETE are answered 405, which clients in browsers have to be able to read. */
    methods: ['POST', 'GET', 'DELETE'],
    headers: REQUEST_HEADERS,
    exposed: ['WWW-Authenticate', 'Mcp-Session-Id', 'Retry-After'],
  })
}

/** Any page may read the metadata: it is public, and clients in browsers need it. */
export const METADATA_CORS = cors({ origins: '*', methods: ['GET'], headers: ['*'] })
