import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/**
 * Tells caches that answers depend on the `Origin` of the request: CORS names
 * it in its headers, and the CORS middleware does not say so (Fetch standard,
 * §3.3.4).
 */
export default class VaryOriginMiddleware {
  handle({ response }: HttpContext, next: NextFn) {
    response.vary('Origin')
    return next()
  }
}
