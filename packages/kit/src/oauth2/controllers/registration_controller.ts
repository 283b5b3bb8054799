import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { AuthorizationServer } from '#oauth2/authorization_server'
import { assertOn } from '#oauth2/controllers/assert_on'
import { readJsonObject } from '#oauth2/parameters'

/** The client registration endpoint (RFC 7591 §3). It is not there unless the setting `dynamicRegistration` is on. */
@inject()
export default class RegistrationController {
  constructor(protected server: AuthorizationServer) {}

  async store(ctx: HttpContext) {
    assertOn(this.server.config.dynamicRegistration, ctx)
    const registered = await this.server.registration.register(ctx, readJsonObject(ctx.request))
    ctx.response.header('Cache-Control', 'no-store').header('Pragma', 'no-cache')
    return ctx.response.created(registered)
  }
}
