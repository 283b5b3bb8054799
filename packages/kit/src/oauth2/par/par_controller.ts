import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { AuthorizationServer } from '#oauth2/authorization_server'
import { assertOn } from '#oauth2/controllers/assert_on'

/** The pushed authorization request endpoint (RFC 9126 §2). It is not there unless the setting `pushedRequests` is on. */
@inject()
export default class ParController {
  constructor(protected server: AuthorizationServer) {}

  async store(ctx: HttpContext) {
    assertOn(this.server.pushed.isEnabled, ctx)
    const answer = await this.server.pushed.push(ctx)
    ctx.response.header('Cache-Control', 'no-store').header('Pragma', 'no-cache')
    return ctx.response.created(answer)
  }
}
