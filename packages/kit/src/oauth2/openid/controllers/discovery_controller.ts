import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { AuthorizationServer } from '#oauth2/authorization_server'
import { openIdOf } from '#oauth2/openid/controllers/openid_of'

/** Tells clients the same as the metadata of RFC 8414, where OpenID Connect clients look for it (OpenID Connect Discovery 1.0 §4). */
@inject()
export default class DiscoveryController {
  constructor(protected server: AuthorizationServer) {}

  async show(ctx: HttpContext) {
    openIdOf(this.server, ctx)
    ctx.response.header('Content-Type', 'application/json; charset=utf-8')
    return ctx.response.send(await this.server.metadata(ctx.request))
  }
}
