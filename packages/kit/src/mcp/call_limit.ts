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
export type CountCall = (caller: Caller | null, ctx: HttpContext, target: Counted) => Promise<void>

/** What is called. */
interface Counted {
  kind: string
  name: string
}

/** The length of a session id that is counted by; this server's are shorter. */
const MAX_SESSION = 128

/**
 * Counts the calls of each caller (`config/throttle.ts`). Anonymous ones are counted by their address
 * and, because a hosted client speaks for many people from one, apart for each session or tool.
 *
 * @param feature undefined when nothing is limited
 */
export function countBy(feature: () => Throttle | undefined): CountCall {
  return async (caller, ctx, target) => {
    try {
      await (caller
        ? feature()?.penalize('mcpCalls', caller.id, ctx)
        : feature()?.penalize('anonymousMcpCalls', subjectOf(ctx, target), ctx))
    } catch (error) {
      throw error instanceof Throttled ? tooManyCalls(error) : error
    }
  }
}

/** A session is what the client says it is, so the limit of its address holds as well. */
function subjectOf({ request }: HttpContext, { kind, name }: Counted): string {
  const session = request.header('mcp-session-id')
  if (session && session.length <= MAX_SESSION) {
    return `session ${session}`
  }
  return kind === 'tool' ? `tool ${name}` : kind
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
