import type { HttpContext } from '@adonisjs/core/http'

import { InsufficientScope } from '#auth/errors'
import { Refusal } from '#auth/outcome'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import { OAuth2Guard } from '#oauth2/guard'
import { claimsOf } from '#oauth2/clients/assertions/signed_claims'
import { userClaims } from '#oauth2/openid/claims'
import { OPENID } from '#oauth2/settings'

/** The schemes of access tokens (RFC 6750 §2.1, RFC 9449 §7.1). */
const ACCESS_TOKEN = /^(?:bearer|dpop) +(\S+)$/i

/** What a client may know of a token's user (Core §5.3). @throws {InvalidToken | InsufficientScope} */
export async function readUserInfo(ctx: HttpContext, server: AuthorizationServer) {
  const provider = await findProvider(ctx, server)
  const users = server.manager.users(provider)
  const guard = new OAuth2Guard('userinfo', users, ctx, { ...server, audience: null })
  const context = await guard.resolve()
  if (context instanceof Refusal) {
    throw context.toError()
  }
  const user = context.getUserOrFail()
  if (!context.scopes.includes(OPENID)) {
    throw new InsufficientScope(undefined, { scopes: [OPENID] })
  }
  const { clientId, scopes } = context
  const key = { userId: users.identify(user), provider }
  return {
    ...(await userClaims(user, server.config.openid.claims, { provider, clientId, scopes })),
    sub: await server.subjectOf(key, clientId),
  }
}

/** Whose users the guard has to know. What the token says is not verified yet: that is the guard's work. */
async function findProvider(ctx: HttpContext, { tokens, manager }: AuthorizationServer) {
  const token = ACCESS_TOKEN.exec(ctx.request.header('authorization') ?? '')?.[1]
  const jti = token && claimsOf(token).jti
  const found = typeof jti === 'string' && (await tokens.findAccessToken(jti))
  const provider = found ? found.record.provider : null
  return provider !== null && manager.hasUsers(provider) ? provider : manager.usersOf().name
}
