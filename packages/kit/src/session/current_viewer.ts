import app from '@adonisjs/core/services/app'
import type { HttpContext } from '@adonisjs/core/http'

import { optionalUser } from '#auth/protection'
import { RequestSession } from '#session/request_session'
import { findSessionService } from '#session/session_service'

/** The signed-in person, or null; also on pages of errors that came before the session was read, or where no route is. */
export async function currentViewer(ctx: HttpContext) {
  const sessions = await findSessionService(app)
  if (!sessions) {
    return null
  }
  await RequestSession.openForReading(ctx, sessions)
  return optionalUser(ctx)
}
