import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { AuthorizationServer } from '#oauth2/authorization_server'
import { keepPrivate, redirect } from '#oauth2/controllers/browser_answers'
import { openIdOf } from '#oauth2/openid/controllers/openid_of'
import { wantsPage } from '#http/wants_page'

/** A person goes on with the account that they are signed in with (`prompt=select_account`). */
@inject()
export default class AccountSelectionController {
  constructor(protected server: AuthorizationServer) {}

  async store(ctx: HttpContext) {
    openIdOf(this.server, ctx)
    keepPrivate(ctx)
    const pending = await this.server.pending.find(ctx, ctx.params.handle)
    const location = await pending.selectAccount()
    return wantsPage(ctx) ? redirect(ctx, location) : ctx.response.ok({ redirect_to: location })
  }
}
