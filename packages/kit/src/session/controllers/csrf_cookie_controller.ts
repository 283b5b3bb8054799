import type { HttpContext } from '@adonisjs/core/http'

import { Session } from '#session/facade'

export default class CsrfCookieController {
  /** Primes a single-page app with a session and its CSRF cookie. */
  async show({ response }: HttpContext) {
    await Session.token()
    response.noContent()
  }
}
