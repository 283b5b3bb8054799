import type { HttpContext } from '@adonisjs/core/http'

import { AuthError, InvalidRequest } from '#auth/errors'

/** The endpoints that programs call and people never see. */
const CLIENT_ENDPOINTS = ['/oauth/token', '/token', '/oauth/introspect', '/oauth/revoke']

/** The endpoints whose errors are OAuth's, whatever went wrong with the request. */
const ENDPOINTS = ['/oauth/authorize', ...CLIENT_ENDPOINTS]

/** Whether the answer is JSON whatever the caller accepts (RFC 6749 §5). */
export function isClientEndpoint({ route }: HttpContext): boolean {
  return CLIENT_ENDPOINTS.includes(route?.pattern ?? '')
}

/**
 * A body that the body parser refuses, too long or not readable, is an
 * `invalid_request` to an OAuth client (RFC 6749 §5.2); null for every other failure.
 */
export function toOAuthProtocolError(error: unknown, { route }: HttpContext): AuthError | null {
  const { status } = error as { status?: number }
  const refused = !(error instanceof AuthError) && status && status >= 400 && status < 500
  return refused && ENDPOINTS.includes(route?.pattern ?? '')
    ? new InvalidRequest('The request body is too long or cannot be read.')
    : null
}
