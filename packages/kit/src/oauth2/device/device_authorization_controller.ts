import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { AuthorizationServer } from '#oauth2/authorization_server'
import { assertOn } from '#oauth2/controllers/assert_on'
import { Parameters } from '#oauth2/parameters'

/** The device authorization endpoint (RFC 8628 §3.1): form in, JSON out. */
@inject()
export default class DeviceAuthorizationController {
  constructor(protected server: AuthorizationServer) {}

  async store(ctx: HttpContext) {
    assertOn(this.server.devices.isEnabled, ctx)
    const parameters = Parameters.fromForm(ctx.request)
    const answer = await this.server.devices.begin({ ctx, parameters })
    ctx.response.header('Cache-Control', 'no-store').header('Pragma', 'no-cache')
    return ctx.response.ok(answer)
  }
}
