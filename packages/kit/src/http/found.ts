import { errors, type HttpContext } from '@adonisjs/core/http'

/** @throws {E_ROUTE_NOT_FOUND} as of an address that does not exist: there is no such thing, or settings leave it off */
export function assertFound(isFound: boolean, { request }: HttpContext): asserts isFound {
  if (!isFound) {
    throw new errors.E_ROUTE_NOT_FOUND([request.method(), request.url()])
  }
}
