import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/** CORS names the `Origin` in its headers, and its middleware does not say so (Fetch standard, §3.3.4). */
export default class VaryOriginMiddleware {
  handle({ response }: HttpContext, next: NextFn) {
    response.vary('Origin')
    return next()
  }
}
