import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { currentUserKey } from '#oauth2/current_user'
import { AuthorizationServer } from '#oauth2/authorization_server'

/** What the clients of the signed-in user hold, through the default guard. */
@inject()
export default class UserTokensController {
  constructor(protected server: AuthorizationServer) {}

  async index(ctx: HttpContext) {
    const user = await currentUserKey(ctx)
    ctx.response.header('Cache-Control', 'no-store')
    return ctx.response.ok(await this.server.userTokens.list(user))
  }

  async destroy(ctx: HttpContext) {
    await this.server.userTokens.revoke(await currentUserKey(ctx), ctx.params.jti)
    return ctx.response.noContent()
  }

  async destroyAll(ctx: HttpContext) {
    await this.server.userTokens.revokeAll(await currentUserKey(ctx))
    return ctx.response.noContent()
  }
}
