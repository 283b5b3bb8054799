import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { authContext } from '#auth/protection'
import { AuthorizationServer } from '#oauth2/authorization_server'
import { currentUserKey } from '#oauth2/current_user'
import { personalAccessTokenValidator } from '#oauth2/validators/personal_access_token'

/** The personal access tokens of the signed-in user, through the default guard. */
@inject()
export default class PersonalAccessTokensController {
  constructor(protected server: AuthorizationServer) {}

  async index(ctx: HttpContext) {
    const user = await currentUserKey(ctx)
    ctx.response.header('Cache-Control', 'no-store')
    return ctx.response.ok(await this.server.personalAccessTokens.list(user))
  }

  async store(ctx: HttpContext) {
    const user = await currentUserKey(ctx)
    const options = await ctx.request.validateUsing(personalAccessTokenValidator)
    const created = await this.server.personalAccessTokens.create(
      user,
      await authContext(ctx),
      options
    )
    ctx.response.header('Cache-Control', 'no-store').header('Pragma', 'no-cache')
    return ctx.response.created(created)
  }

  async destroy(ctx: HttpContext) {
    await this.server.personalAccessTokens.revoke(await currentUserKey(ctx), ctx.params.jti)
    return ctx.response.noContent()
  }

  async destroyAll(ctx: HttpContext) {
    await this.server.personalAccessTokens.revokeAll(await currentUserKey(ctx))
    return ctx.response.noContent()
  }
}
