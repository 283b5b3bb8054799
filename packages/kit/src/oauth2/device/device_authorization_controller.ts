import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { AuthorizationServer } from '#oauth2/authorization_server'
import { assertDevicesOn } from '#oauth2/device/assert_devices_on'
import { Parameters } from '#oauth2/parameters'

/** The device authorization endpoint (RFC 8628 §3.1): form in, JSON out. */
@inject()
export default class DeviceAuthorizationController {
  constructor(protected server: AuthorizationServer) {}

  async store(ctx: HttpContext) {
    assertDevicesOn(ctx, this.server)
    const parameters = Parameters.fromForm(ctx.request)
    const answer = await this.server.devices.begin({ ctx, parameters })
    ctx.response.header('Cache-Control', 'no-store').header('Pragma', 'no-cache')
    return ctx.response.ok(answer)
  }
}
