import type { ResolvedMcpConfig } from '#mcp/define_config'
import { invalidRequest } from '#mcp/errors'
import type { ReadHeader } from '#mcp/protocol/era'

/** A name or an address, and perhaps a port (RFC 9110, section 7.2). */
const HOST = /^(\[[^\]]+\]|[^:]+)(?::\d+)?$/
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Keeps web pages out that have no business here (2025-11-25 and 2026-07-28, transport, security):
 * those of other origins, and those of a name that was pointed at this machine (DNS rebinding).
 * A page on this very machine may talk to a server it reaches by a loopback name.
 *
 * @throws McpError HTTP 403
 */
export function checkOrigin(header: ReadHeader, config: ResolvedMcpConfig): void {
  /* Never X-Forwarded-Host: a page on a rebound name can send it. */
  const host = HOST.exec(header('host') ?? '')?.[1]?.toLowerCase()
  if (host === undefined || !(LOOPBACK.has(host) || config.allowedHosts.has(host))) {
    throw invalidRequest('This server does not go by that name (Host)', 403)
  }

  const origin = header('origin')
  if (origin === undefined || config.allowedOrigins.has(origin.toLowerCase())) {
    return
  }
  const page = URL.canParse(origin) ? new URL(origin).hostname : ''
  if (!(LOOPBACK.has(page) && LOOPBACK.has(host))) {
    throw invalidRequest('This origin may not call this server (Origin)', 403)
  }
}
