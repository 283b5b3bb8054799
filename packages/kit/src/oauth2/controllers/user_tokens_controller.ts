import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { authContext } from '#auth/protection'
import { AuthorizationServer } from '#oauth2/authorization_server'
import { recordDisconnections } from '#oauth2/controllers/connection_events'
import { currentUserKey } from '#oauth2/current_user'

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

  /** Revokes all of them, which disconnects every client. */
  async destroyAll(ctx: HttpContext) {
    const { user } = await authContext(ctx)
    const key = await currentUserKey(ctx)
    const apps = await this.server.connectedApps.list(key)
    await this.server.userTokens.revokeAll(key)
    await recordDisconnections(ctx, user, apps)
    return ctx.response.noContent()
  }
}
