import type { HttpContext } from '@adonisjs/core/http'

import type { Authenticator } from '#auth/authenticator'
import { bearerChallenge, type ChallengeDetails, scopeParameter } from '#auth/challenge'
import { Throttled } from '#auth/errors'
import type { Throttle } from '#auth/throttle'
import { ErrorCode, McpError, tryAgain } from '#mcp/errors'
import type { Protection } from '#mcp/protection'

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
  authenticator?: Pick<Authenticator, 'subject' | 'context'>
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
      if (!(error instanceof Throttled)) {
        throw error
      }
      const seconds = Number(error.headers['Retry-After'])
      throw tryAgain(ErrorCode.TooManyCalls, 'Too many calls', 429, seconds)
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

/** Middleware that lets everybody pass has ignored a token that is not accepted. */
export const hasToken = ({ request }: HttpContext) =>
  /^(Bearer|DPoP) /i.test(request.header('authorization') ?? '')

type Asked = { caller: Caller | null; protection: Protection | null }

/**
 * Before the handler runs and before a stream opens (2026-07-28, "Authorization", Scope Challenge Handling).
 * @throws {McpError} 401 or 403 with a challenge when a scope is missing
 */
export function requireScopes(asked: Asked & { ctx: HttpContext }, own: readonly string[]): void {
  const { caller, protection, ctx } = asked
  const required = protection?.scopesFor(own) ?? own
  if (lacksScope(caller, required)) {
    throw caller
      ? insufficientScope(asked, required)
      : unauthenticated(protection, required, hasToken(ctx))
  }
}

/**
 * 401: the caller has to authenticate (RFC 6750, section 3.1; RFC 9728, section 5.1). Some clients sign
 * in when they connect, or never, and hand an error to the model: where they got in as nobody, the text
 * has to say what the person can do.
 * @param isRefused whether the request had a token, which is invalid then
 */
export function unauthenticated(
  protection: Protection | null,
  required: readonly string[],
  isRefused: boolean
): McpError {
  const message =
    protection?.optional && !isRefused
      ? `This needs a signed-in user, and the client is connected as nobody. Ask the person to sign in: ${protection.signIn}`
      : 'The call needs a valid access token'
  const scopes = protection?.scopesToAskFor(required) ?? required
  const error = isRefused ? 'invalid_token' : undefined
  return refusal(message, protection, { error, scopes })
}

/**
 * 403: the caller's token lacks a scope. The challenge names the held scopes too, so that the token that
 * a client gets next can do all that this one can (2026-07-28, "Authorization", Step-Up Authorization Flow).
 */
export function insufficientScope({ caller, protection }: Asked, required: readonly string[]) {
  const scopes = [...new Set([...(caller?.scopes ?? []), ...required])]
  const message = 'The access token lacks a scope that the call needs'
  return refusal(message, protection, { error: 'insufficient_scope', scopes })
}

function refusal(message: string, protection: Protection | null, details: ChallengeDetails) {
  const { error = 'invalid_token', scopes = [] } = details
  const challenge = bearerChallenge(details, protection?.metadataUrl)
  return new McpError(ErrorCode.InvalidRequest, message, {
    httpStatus: error === 'insufficient_scope' ? 403 : 401,
    data: { error, scope: scopeParameter(scopes) || undefined },
    headers: { 'www-authenticate': challenge, 'cache-control': 'no-store' },
  })
}
