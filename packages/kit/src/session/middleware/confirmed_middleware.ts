import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import app from '@adonisjs/core/services/app'

import { requireConfirmation } from '#session/confirmation'
import { SessionService } from '#session/session_service'

/** Behind `middleware.auth()`: asks who signed in or confirmed too long ago to confirm that it is them. */
export default class ConfirmedMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    await requireConfirmation(ctx, await app.container.make(SessionService))
    return next()
  }
}
