import app from '@adonisjs/core/services/app'
import { HttpContext } from '@adonisjs/core/http'
import { ReadOnlyValuesStore } from '@adonisjs/session'
import type { Edge } from 'edge.js'

import { currentRequest } from '#http/current_request'
import { RequestSession } from '#session/request_session'
import { optionalUser } from '#auth/protection'
import { findSessionService } from '#session/session_service'

/** The session of the current request. @throws {RuntimeException} by every method, outside a request */
export class Session {
  static async id(): Promise<string | null> {
    return RequestSession.existing(currentRequest('Session'))?.live?.id ?? null
  }

  /** The CSRF token; starts a guest session when there is none. */
  static async token(): Promise<string> {
    return current().csrfToken()
  }

  /** Gives the session a new id and keeps its data and CSRF token. */
  static async regenerate(): Promise<void> {
    return current().rotate()
  }

  static async invalidate(): Promise<void> {
    return current().invalidate()
  }
}

const current = () => RequestSession.of(currentRequest('Session'))

/** The signed-in person, or null; also on pages of errors that came before the session was read, or where no route is. */
export async function currentViewer(ctx: HttpContext) {
  const sessions = await findSessionService(app)
  if (!sessions) {
    return null
  }
  await RequestSession.open(ctx, sessions)
  return optionalUser(ctx)
}

/**
 * `flashMessages`, `session`, `old()` and `csrfField()` for templates. Read on use: sharing them would create a renderer
 * for every request. A page without `csrfField()` starts no session.
 */
export function addSessionGlobals(edge: Edge): void {
  const flashMessages = new CurrentValues((session) => session.flashMessages.all())

  edge.global('flashMessages', flashMessages)
  edge.global('session', new CurrentValues((session) => session.all()))
  edge.global('old', (key: string, defaultValue?: unknown) => flashMessages.get(key, defaultValue))
  edge.global('csrfField', async () => {
    const field = await RequestSession.of(currentRequest('csrfField()')).csrfField()
    /* Between two braces as between three. */
    return Object.assign(edge.globals.html.safe(field), { toString: () => field })
  })
}

class CurrentValues extends ReadOnlyValuesStore {
  constructor(read: (session: RequestSession) => Record<string, unknown>) {
    super(null)
    Object.defineProperty(this, 'values', {
      get() {
        const ctx = HttpContext.get()
        const session = ctx && RequestSession.existing(ctx)
        return session ? read(session) : {}
      },
    })
  }
}
