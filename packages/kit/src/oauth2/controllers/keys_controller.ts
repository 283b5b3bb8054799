import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { AuthorizationServer } from '#oauth2/authorization_server'
import { assertOn } from '#oauth2/controllers/assert_on'

/** The public keys, by which anybody verifies tokens (RFC 7517 §5). They are not there unless the setting `keys` is on. */
@inject()
export default class KeysController {
  constructor(protected server: AuthorizationServer) {}

  /** A copy is used for half the time that a key is published before it signs, so that each is known in time. */
  async show(ctx: HttpContext) {
    const { keys, config } = this.server
    assertOn(keys.stored !== null, ctx)
    const document = JSON.stringify({ keys: await keys.publicKeys() })
    const maxAge = Math.floor(config.keys.publishFor / 2)
    const { response } = ctx
    response.header('Content-Type', 'application/jwk-set+json')
    response.header('Cache-Control', `public, max-age=${maxAge}`)
    return response.send(document)
  }
}
