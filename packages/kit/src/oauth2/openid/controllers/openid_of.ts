import type { HttpContext } from '@adonisjs/core/http'

import type { AuthorizationServer } from '#oauth2/authorization_server'
import { assertOn } from '#oauth2/controllers/assert_on'
import type { OpenId } from '#oauth2/openid/openid'

/** OpenID Connect, for its endpoints: they are not there while it is off. */
export function openIdOf({ openid }: AuthorizationServer, ctx: HttpContext): OpenId {
  assertOn(openid !== null, ctx)
  return openid!
}
