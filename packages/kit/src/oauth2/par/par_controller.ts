import { inject } from '@adonisjs/core'
import { errors, type HttpContext } from '@adonisjs/core/http'

import { AuthorizationServer } from '#oauth2/authorization_server'

/** The pushed authorization request endpoint (RFC 9126 §2). It is not there unless the setting `pushedRequests` is on. */
@inject()
export default class ParController {
  constructor(protected server: AuthorizationServer) {}

  async store(ctx: HttpContext) {
    if (!this.server.pushed.isEnabled) {
      throw new errors.E_ROUTE_NOT_FOUND([ctx.request.method(), ctx.request.url()])
    }
    const answer = await this.server.pushed.push(ctx)
    ctx.response.header('Cache-Control', 'no-store').header('Pragma', 'no-cache')
    return ctx.response.created(answer)
  }
}
