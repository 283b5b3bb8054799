import { inject } from '@adonisjs/core'
import { errors, type HttpContext } from '@adonisjs/core/http'

import { AuthorizationServer } from '#oauth2/authorization_server'

/** The public keys, by which anybody verifies tokens (RFC 7517 §5). They are not there unless the setting `keys` is on. */
@inject()
export default class KeysController {
  constructor(protected server: AuthorizationServer) {}

  /** A copy is used for half the time that a key is published before it signs, so that each is known in time. */
  async show({ request, response }: HttpContext) {
    const { keys, config } = this.server
    if (!keys.stored) {
      throw new errors.E_ROUTE_NOT_FOUND([request.method(), request.url()])
    }
    const document = JSON.stringify({ keys: await keys.publicKeys() })
    const maxAge = Math.floor(config.keys.publishFor / 2)
    response.header('Content-Type', 'application/jwk-set+json')
    response.header('Cache-Control', `public, max-age=${maxAge}`)
    return response.send(document)
  }
}
