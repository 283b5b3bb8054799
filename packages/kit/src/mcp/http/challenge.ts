import { bearerChallenge, type ChallengeDetails, scopeParameter } from '#auth/challenge'
import type { Caller } from '#mcp/caller'
import { ErrorCode, McpError } from '#mcp/errors'
import type { Protection } from '#mcp/protection'

const INVALID = 'The call needs a valid access token'

/**
 * Some clients sign in when they connect, or never, and hand an error to the model: where they got in
 * as nobody, the text has to say what the person can do.
 */
function hintFor(protection: Protection | null): string {
  return protection?.optional
    ? `This needs a signed-in user, and the client is connected as nobody. Ask the person to sign in: to connect the client to ${protection.shownUrl} again, with OAuth`
    : INVALID
}

/**
 * 401: the caller has to authenticate (RFC 6750, section 3.1; RFC 9728, section 5.1).
 *
 * @param hasToken whether the request had a token, which is invalid then
 * @param required the scopes that the call needs
 */
export function unauthenticated(
  protection: Protection | null,
  required: readonly string[],
  hasToken: boolean
): McpError {
  const message = hasToken ? INVALID : hintFor(protection)
  return refusal(401, message, {
    error: hasToken ? 'invalid_token' : undefined,
    scope: protection?.scopesToAskFor(required) ?? required,
    protection,
  })
}

/**
 * 403: the caller's token lacks a scope. The challenge names the held scopes too, so that the token
 * that a client gets next can do all that the present one can (2026-07-28, "Authorization", Step-Up
 * Authorization Flow).
 */
export function insufficientScope(
  protection: Protection | null,
  required: readonly string[],
  { scopes }: Caller
): McpError {
  return refusal(403, 'The access token lacks a scope that the call needs', {
    error: 'insufficient_scope',
    scope: [...new Set([...scopes, ...required])],
    protection,
  })
}

function refusal(
  httpStatus: 401 | 403,
  message: string,
  challenge: {
    error?: ChallengeDetails['error']
    scope: readonly string[]
    protection: Protection | null
  }
): McpError {
  const scope = scopeParameter(challenge.scope) || undefined
  return new McpError(ErrorCode.InvalidRequest, message, {
    httpStatus,
    data: { error: challenge.error ?? 'invalid_token', scope },
    headers: {
      'www-authenticate': bearerChallenge(
        { error: challenge.error, scopes: challenge.scope },
        challenge.protection?.metadataUrl
      ),
      'cache-control': 'no-store',
    },
  })
}
