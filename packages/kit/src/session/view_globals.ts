import { HttpContext } from '@adonisjs/core/http'
import { ReadOnlyValuesStore } from '@adonisjs/session'
import type { Edge } from 'edge.js'

import { RequestSession } from '#session/request_session'
import { currentRequest } from '#http/current_request'

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
