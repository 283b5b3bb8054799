import { errors, type HttpContext } from '@adonisjs/core/http'

import { AuthError, InvalidRequest, ServerError, TemporarilyUnavailable } from '#auth/errors'
import { reportRefusal } from '#auth/outcome'
import { DATABASE_RETRY_AFTER, isDatabaseUnavailable } from '#database/errors'
import { createRouteMark, isMarked } from '#http/route_marks'

/** All errors of the route have the form of RFC 6749 §5.2. */
export const oauthEndpoint = createRouteMark('oauthEndpoint')

/** A body that is too large is 413 at such an endpoint (RFC 9126 §2.3), and 400 at the others. */
export const tellsSize = createRouteMark('tellsSize')

/** Statuses of bodies that are malformed, too large, of another type, or of no use. */
const OF_BODIES = [400, 413, 415, 422]

class RequestTooLarge extends InvalidRequest {
  override status = 413
}

/**
 * The OAuth error for a failure that is not one by itself, on a route marked with `oauthEndpoint`;
 * null for other failures and other routes, for a route that is turned off, and for what a middleware
 * of the application refuses, e.g. a limit or the CSRF check of Shield: these have answers of their own.
 */
export function toOAuthProtocolError(error: unknown, { route }: HttpContext): AuthError | null {
  const isTurnedOff = error instanceof errors.E_ROUTE_NOT_FOUND
  if (error instanceof AuthError || isTurnedOff || !isMarked(route, oauthEndpoint)) {
    return null
  }
  const { status = 0 } = (error ?? {}) as { status?: number }
  if (OF_BODIES.includes(status)) {
    const Refusal = status === 413 && isMarked(route, tellsSize) ? RequestTooLarge : InvalidRequest
    return new Refusal('The request body is too long or cannot be read.')
  }
  if (status > 400 && status < 500) {
    return null
  }
  return isDatabaseUnavailable(error)
    ? new TemporarilyUnavailable(DATABASE_RETRY_AFTER)
    : new ServerError()
}

export const isOAuthEndpoint = ({ route }: HttpContext) => isMarked(route, oauthEndpoint)

/** Reports an error that is on its way to the caller, as a refusal by OAuth where it is one. */
export const reportOAuthRefusal = (error: AuthError, ctx: HttpContext): Promise<void> =>
  reportRefusal(error, ctx, isOAuthEndpoint(ctx) ? 'oauth2:refused' : 'auth:refused')
