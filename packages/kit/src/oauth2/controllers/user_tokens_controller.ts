import type { HttpContext } from '@adonisjs/core/http'

import { ServerController } from '#oauth2/authorization_server'
import { recordDisconnections, signedIn } from '#oauth2/token_owners'

/** What the clients of the signed-in user hold, through the default guard. */
export default class UserTokensController extends ServerController {
  async index(ctx: HttpContext) {
    const { user } = await signedIn(ctx)
    return ctx.response.ok(await this.server.userTokens.list(user))
  }

  async destroy(ctx: HttpContext) {
    const { user } = await signedIn(ctx)
    await this.server.userTokens.revoke(user, ctx.params.jti)
    return ctx.response.noContent()
  }

  /** Revokes all of them, which disconnects every client. */
  async destroyAll(ctx: HttpContext) {
    const { user, context } = await signedIn(ctx)
    const apps = await this.server.connectedApps.disconnectAll(user)
    await recordDisconnections(ctx, context.user, apps)
    return ctx.response.noContent()
  }
}
