import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { followIntendedUrl } from '#auth/guards/adonis_auth'

/**
 * For an application on `@adonisjs/auth`: whoever was sent to the sign-in page by a page of this package
 * goes back to it, whatever address the application's login redirects to.
 */
export default class IntendedUrlMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    const output = await next()
    followIntendedUrl(ctx)
    return output
  }
}
