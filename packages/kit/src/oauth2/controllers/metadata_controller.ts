import type { HttpContext } from '@adonisjs/core/http'

import { assertFound } from '#http/errors'
import { ServerController } from '#oauth2/authorization_server'

export default class MetadataController extends ServerController {
  /** Tells clients where the endpoints are and what they can do (RFC 8414). */
  async show({ request, response }: HttpContext) {
    const document = await this.server.metadata(request)
    return response.header('Content-Type', 'application/json; charset=utf-8').send(document)
  }

  /** The same, where OpenID Connect clients look for it (OpenID Connect Discovery 1.0 §4). */
  async discover(ctx: HttpContext) {
    assertFound(this.server.openid !== null, ctx)
    return this.show(ctx)
  }

  /** The public keys, by which anybody verifies tokens (RFC 7517 §5), unless `keys` is off. */
  async keys(ctx: HttpContext) {
    const { keys, config } = this.server
    assertFound(keys.stored !== null, ctx)
    const document = JSON.stringify({ keys: await keys.publicKeys() })
    /* Half the time that a key is published before it signs: each is known in time. */
    const maxAge = Math.floor(config.keys.publishFor / 2)
    ctx.response.header('Cache-Control', `public, max-age=${maxAge}`)
    return ctx.response.header('Content-Type', 'application/jwk-set+json').send(document)
  }
}
