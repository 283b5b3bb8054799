import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { AuthError, InvalidRequest } from '#auth/errors'

/** The endpoints whose errors are OAuth's, whatever went wrong with the request. */
const PROTOCOL_ENDPOINTS = [
  '/oauth/authorize',
  '/oauth/token',
  '/token',
  '/oauth/introspect',
  '/oauth/revoke',
]

/**
 * A body that the body parser refuses, too long or not readable, is an
 * `invalid_request` to an OAuth client (RFC 6749 §5.2). It stands before the
 * body parser, and lets every other failure pass.
 */
export default class OAuth2ErrorsMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    if (!PROTOCOL_ENDPOINTS.includes(ctx.route?.pattern ?? '')) {
      return next()
    }
    try {
      return await next()
    } catch (error) {
      const { status } = error as { status?: number }
      if (!(error instanceof AuthError) && status && status >= 400 && status < 500) {
        throw new InvalidRequest('The request body is too long or cannot be read.')
      }
      throw error
    }
  }
}
