import type { HttpContext } from '@adonisjs/core/http'

import { Throttled } from '#auth/errors'
import type { Throttle } from '#auth/throttle'
import { ErrorCode, McpError } from '#mcp/errors'

/** Who sends a request. This is all that MCP needs to know of an app's authentication. */
export interface Caller {
  /** Differs between any two callers: what one was given is not accepted from another. */
  readonly id: string
  /** The authenticated user; null for a token without one. */
  readonly user: any
  /** The same for one user whatever the client, and no other user's; without it no page asks (`olderClients`). */
  readonly person?: string
  /** The OAuth client that calls; null for an API token or a session. Without it no page names one. */
  readonly clientId?: string | null
  /** What the caller was granted; "*" stands for every scope. */
  readonly scopes: readonly string[]
}

/** The authentication of this app, or that of `@adonisjs/auth`. */
interface Authenticated {
  authenticator?: {
    subject: string | null
    context: {
      user: any
      scopes: readonly string[]
      clientId: string | null
      boundTo?: object | null
    } | null
  }
  auth?: { user?: any; authenticatedViaGuard?: string }
}

/** Whom the route's middleware authenticated. With `@adonisjs/auth`, abilities of tokens are scopes. */
export function authenticatedCaller(ctx: HttpContext): Caller | null {
  const { authenticator, auth } = ctx as Authenticated
  const context = authenticator?.context
  if (context) {
    const { user, scopes, clientId, boundTo } = context
    const { subject } = authenticator
    /* What was begun in one workspace is nothing to a token for another. */
    const id = JSON.stringify([subject, clientId, ...(boundTo ? [boundTo] : [])])
    return { id, user, person: subject ?? undefined, clientId, scopes }
  }
  const user = auth?.user
  if (!user) {
    return null
  }
  const id = JSON.stringify([auth.authenticatedViaGuard, user.id])
  return { id, user, scopes: user.currentAccessToken?.abilities ?? ['*'] }
}

export function lacksScope(caller: Caller | null, required: readonly string[]): boolean {
  const held = caller?.scopes ?? []
  return !held.includes('*') && required.some((scope) => !held.includes(scope))
}

type Counted = { kind: string; name: string }

/** @throws {McpError} HTTP 429 with `Retry-After` when the caller has made too many calls */
export type CountCall = (caller: Caller | null, ctx: HttpContext, target: Counted) => Promise<void>

/** The length of a session id that is counted by; this server's are shorter. */
const MAX_SESSION = 128

/**
 * Counts the calls of each caller (`config/throttle.ts`). Anonymous ones are counted by their address
 * and, because a hosted client speaks for many people from one, apart for each session or tool.
 */
export function countBy(feature: () => Throttle | undefined): CountCall {
  return async (caller, ctx, target) => {
    try {
      await (caller
        ? feature()?.penalize('mcpCalls', caller.id, ctx)
        : feature()?.penalize('anonymousMcpCalls', subjectOf(ctx, target), ctx))
    } catch (error) {
      throw error instanceof Throttled ? tooManyCalls(error.headers['Retry-After']!) : error
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

function tooManyCalls(seconds: string): McpError {
  return new McpError(ErrorCode.TooManyCalls, `Too many calls. Try again in ${seconds} seconds`, {
    httpStatus: 429,
    data: { retryAfter: Number(seconds) },
    headers: { 'retry-after': seconds },
  })
}
