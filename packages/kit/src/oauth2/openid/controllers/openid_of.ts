import { errors, type HttpContext } from '@adonisjs/core/http'

import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { OpenId } from '#oauth2/openid/openid'

/** OpenID Connect, for its endpoints: they are not there while it is off. */
export function openIdOf({ openid }: AuthorizationServer, { request }: HttpContext): OpenId {
  if (openid === null) {
    throw new errors.E_ROUTE_NOT_FOUND([request.method(), request.url()])
  }
  return openid
}
