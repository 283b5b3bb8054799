import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { followIntendedUrl } from '#auth/guards/adonis_auth'

/** For `@adonisjs/auth`: a login leads back to the page of this package that asked for it. */
export default class IntendedUrlMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    const output = await next()
    followIntendedUrl(ctx)
    return output
  }
}
