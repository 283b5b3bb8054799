import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import app from '@adonisjs/core/services/app'

import { verifyCsrf } from '#session/csrf'

/** Refuses unsafe requests that another site may have made with the session cookie. */
export default class CsrfMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    const manager = await app.container.make('auth_manager')
    const sessions = manager.feature('sessions')
    if (sessions) {
      verifyCsrf(ctx, sessions)
    }
    return next()
  }
}
