import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import app from '@adonisjs/core/services/app'

import { findSessionService } from '#session/session_service'
import { isUnsafe, verifyCsrf } from '#session/csrf'

export default class CsrfMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    const sessions = isUnsafe(ctx) ? await findSessionService(app) : null
    if (sessions) {
      verifyCsrf(ctx, sessions)
    }
    return next()
  }
}
