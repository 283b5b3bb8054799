import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import app from '@adonisjs/core/services/app'

import { findSessionService } from '#session/session_service'
import { RequestSession } from '#session/request_session'

export default class SessionMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    const sessions = await findSessionService(app)
    if (!sessions) {
      return next()
    }

    await RequestSession.open(ctx, sessions)
    const output = await next()
    await RequestSession.existing(ctx)?.commit()
    return output
  }
}
