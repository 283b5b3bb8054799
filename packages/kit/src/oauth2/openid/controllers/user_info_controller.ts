import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { AuthorizationServer } from '#oauth2/authorization_server'
import { openIdOf } from '#oauth2/openid/controllers/openid_of'
import { readUserInfo } from '#oauth2/openid/user_info'

/** The UserInfo endpoint (OpenID Connect Core 1.0 §5.3). */
@inject()
export default class UserInfoController {
  constructor(protected server: AuthorizationServer) {}

  async show(ctx: HttpContext) {
    const claims = await readUserInfo(ctx, this.server, openIdOf(this.server, ctx))
    ctx.response.header('Cache-Control', 'no-store').header('Pragma', 'no-cache')
    return ctx.response.ok(claims)
  }
}
