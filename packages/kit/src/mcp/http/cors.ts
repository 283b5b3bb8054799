import type { ResolvedMcpConfig } from '#mcp/define_config'
import { hostName, isAllowedOrigin } from '#mcp/http/origin_check'
import { cors } from '#http/cors'
import type { RouteMark } from '#http/route_marks'

/** Headers of requests (2025-11-25 and 2026-07-28, "Transports"). */
const REQUEST_HEADERS = [
  'Accept',
  'Authorization',
  'Content-Type',
  'DPoP',
  'Last-Event-ID',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Param-*',
  'MCP-Protocol-Version',
  'Mcp-Session-Id',
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
