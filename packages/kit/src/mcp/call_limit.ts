import type { HttpContext } from '@adonisjs/core/http'

import { Throttled } from '#auth/errors'
import type { Throttle } from '#auth/throttle'
import type { Caller } from '#mcp/caller'
import { ErrorCode, McpError } from '#mcp/errors'

/**
 * Counts a call of a tool, a prompt or a resource.
 *
 * @throws {McpError} HTTP 429 with `Retry-After` when the caller has made too many
 */
export type CountCall = (caller: Caller | null, ctx: HttpContext) => Promise<void>

/**
 * Counts the calls of each caller, and those of anonymous callers by their address
 * (`config/throttle.ts`).
 *
 * @param feature undefined when nothing is limited
 */
export function countBy(feature: () => Throttle | undefined): CountCall {
  return async (caller, ctx) => {
    try {
      await (caller
        ? feature()?.penalize('mcpCalls', caller.id, ctx)
        : feature()?.penalize('anonymousMcpCalls', null, ctx))
    } catch (error) {
      throw error instanceof Throttled ? tooManyCalls(error) : error
    }
  }
}

function tooManyCalls({ headers }: Throttled): McpError {
  const retryAfter = headers['Retry-After']!
  return new McpError(
    ErrorCode.TooManyCalls,
    `Too many calls. Try again in ${retryAfter} seconds`,
    {
      httpStatus: 429,
      data: { retryAfter: Number(retryAfter) },
      headers: { 'retry-after': retryAfter },
    }
  )
}
