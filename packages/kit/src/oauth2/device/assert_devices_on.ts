import { errors, type HttpContext } from '@adonisjs/core/http'

import type { AuthorizationServer } from '#oauth2/authorization_server'

/** @throws {E_ROUTE_NOT_FOUND} unless the setting `grantTypes` has the device grant */
export function assertDevicesOn({ request }: HttpContext, server: AuthorizationServer): void {
  if (!server.devices.isEnabled) {
    throw new errors.E_ROUTE_NOT_FOUND([request.method(), request.url()])
  }
}
