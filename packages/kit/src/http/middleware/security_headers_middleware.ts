import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { SecurityHeaders } from '#http/security_headers'

/** Comes first, so that files, redirects and errors have the headers too. */
@inject()
export default class SecurityHeadersMiddleware {
  constructor(protected headers: SecurityHeaders) {}

  handle(ctx: HttpContext, next: NextFn) {
    this.headers.apply(ctx)
    return next()
  }
}
