import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { assertFound } from '#http/found'
import { AuthorizationServer } from '#oauth2/authorization_server'

/** What anybody may know of the server. */
@inject()
export default class MetadataController {
  constructor(protected server: AuthorizationServer) {}

  /** Tells clients where the endpoints are and what they can do (RFC 8414). */
  async show({ request, response }: HttpContext) {
    response.header('Content-Type', 'application/json; charset=utf-8')
    return response.send(await this.server.metadata(request))
  }

  /** The same, where OpenID Connect clients look for it (OpenID Connect Discovery 1.0 §4). */
  async discover(ctx: HttpContext) {
    assertFound(this.server.openid !== null, ctx)
    return this.show(ctx)
  }

  /**
   * The public keys, by which anybody verifies tokens (RFC 7517 §5), unless the setting `keys` is off. A copy
   * is used for half the time that a key is published before it signs, so that each is known in time.
   */
  async keys(ctx: HttpContext) {
    const { keys, config } = this.server
    assertFound(keys.stored !== null, ctx)
    const document = JSON.stringify({ keys: await keys.publicKeys() })
    const maxAge = Math.floor(config.keys.publishFor / 2)
    ctx.response.header('Content-Type', 'application/jwk-set+json')
    ctx.response.header('Cache-Control', `public, max-age=${maxAge}`)
    return ctx.response.send(document)
  }
}
