import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import app from '@adonisjs/core/services/app'

import { SessionService } from '#session/session_service'

/** Behind `middleware.auth()`: asks who signed in or confirmed too long ago to confirm that it is them. */
export default class ConfirmedMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    const sessions = await app.container.make(SessionService)
    await sessions.assertConfirmed(ctx)
    return next()
  }
}
