import { bearerChallenge, type ChallengeDetails, scopeParameter } from '#auth/challenge'
import type { Caller } from '#mcp/caller'
import { ErrorCode, McpError } from '#mcp/errors'
import type { Protection } from '#mcp/protection'

/**
 * 401: the caller has to authenticate (RFC 6750, section 3.1; RFC 9728, section 5.1). Some clients sign
 * in when they connect, or never, and hand an error to the model: where they got in as nobody, the text
 * has to say what the person can do.
 *
 * @param hasToken whether the request had a token, which is invalid then
 */
export function unauthenticated(
  protection: Protection | null,
  required: readonly string[],
  hasToken: boolean
): McpError {
  const message =
    protection?.optional && !hasToken
      ? `This needs a signed-in user, and the client is connected as nobody. Ask the person to sign in: to connect the client to ${protection.shownUrl} again, with OAuth`
      : 'The call needs a valid access token'
  const scopes = protection?.scopesToAskFor(required) ?? required
  const error = hasToken ? 'invalid_token' : undefined
  return refusal(401, message, protection, { error, scopes })
}

/**
 * 403: the caller's token lacks a scope. The challenge names the held scopes too, so that the token that
 * a client gets next can do all that this one can (2026-07-28, "Authorization", Step-Up Authorization Flow).
 */
export function insufficientScope(
  protection: Protection | null,
  required: readonly string[],
  caller: Caller
): McpError {
  const scopes = [...new Set([...caller.scopes, ...required])]
  const message = 'The access token lacks a scope that the call needs'
  return refusal(403, message, protection, { error: 'insufficient_scope', scopes })
}

function refusal(
  httpStatus: 401 | 403,
  message: string,
  protection: Protection | null,
  details: Pick<ChallengeDetails, 'error'> & { scopes: readonly string[] }
): McpError {
  const { error = 'invalid_token', scopes } = details
  const challenge = bearerChallenge(details, protection?.metadataUrl)
  return new McpError(ErrorCode.InvalidRequest, message, {
    httpStatus,
    data: { error, scope: scopeParameter(scopes) || undefined },
    headers: { 'www-authenticate': challenge, 'cache-control': 'no-store' },
  })
}
