import type { HttpContext } from '@adonisjs/core/http'

import { missingScopes } from '#mcp/caller'
import { McpError } from '#mcp/errors'
import { insufficientScope, unauthenticated } from '#mcp/http/challenge'
import { type Endpoint, readerOf, refuse } from '#mcp/http/endpoint'
import { checkOrigin } from '#mcp/http/origin_check'

/**
 * Decides who may call a mount, before the middleware of its group runs and before the body is
 * read. Whatever it refuses is answered in JSON-RPC.
 *
 * @returns whether the request may go on
 */
export async function admit(ctx: HttpContext, endpoint: Endpoint): Promise<boolean> {
  try {
    checkOrigin(readerOf(ctx), endpoint.config)
    if (endpoint.isProtected) {
      await identify(ctx, endpoint)
    }
    return true
  } catch (error) {
    if (!(error instanceof McpError)) {
      throw error
    }
    refuse(ctx, error, endpoint)
    return false
  }
}

/**
 * Authenticates the caller by the mount's protection; `ctx.authenticator` has the outcome.
 *
 * @throws {McpError} 401 or 403 with a challenge when the mount refuses the caller
 */
async function identify(ctx: HttpContext, endpoint: Endpoint): Promise<void> {
  const { definition, resourceServer } = endpoint
  const protection = endpoint.protection!
  const { url, guards, scopes, optional } = protection
  const outcome = (await resourceServer?.authenticate(ctx, url, guards)) ?? 'absent'
  if (outcome === 'invalid' || (outcome === 'absent' && !optional)) {
    throw unauthenticated(protection, scopes, outcome === 'invalid')
  }
  const caller = outcome === 'authenticated' ? definition.Server.caller(ctx) : null
  const required = protection.scopesFor([])
  if (caller && missingScopes(caller, required).length > 0) {
    throw insufficientScope(protection, required, caller)
  }
}
