import { errors, type HttpContext } from '@adonisjs/core/http'

/** @throws {E_ROUTE_NOT_FOUND} while the settings leave the endpoint off */
export function assertOn(isOn: boolean, { request }: HttpContext): void {
  if (!isOn) {
    throw new errors.E_ROUTE_NOT_FOUND([request.method(), request.url()])
  }
}
