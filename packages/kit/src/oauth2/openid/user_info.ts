import type { HttpContext } from '@adonisjs/core/http'
import { decodeJwt } from 'jose'

import { InsufficientScope } from '#auth/errors'
import { Refusal } from '#auth/refusal'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import { OAuth2Guard } from '#oauth2/guard'
import { claimsOf } from '#oauth2/openid/claims'
import { OPENID } from '#oauth2/settings'

const BEARER = /^bearer +(\S+)$/i

/**
 * What the access token of a request lets its client know of the user (OpenID
 * Connect Core 1.0 §5.3). The token may be that of a user of any user provider.
 *
 * @throws {InvalidToken} without a valid access token of a user
 * @throws {InsufficientScope} when it is not for the scope `openid`
 */
export async function readUserInfo(
  ctx: HttpContext,
  server: AuthorizationServer
): Promise<Record<string, unknown>> {
  const provider = await findProvider(ctx, server)
  const guard = new OAuth2Guard('userinfo', server.manager.users(provider), ctx, {
    ...server,
    audience: null,
  })
  const context = await guard.resolve()
  if (context instanceof Refusal) {
    throw context.toError()
  }
  const user = context.getUserOrFail()
  if (!context.scopes.includes(OPENID)) {
    throw new InsufficientScope(undefined, { scopes: [OPENID] })
  }
  const { clientId, scopes } = context
  const key = { userId: guard.users.identify(user), provider }
  return {
    ...(await claimsOf(user, server.config.openid.claims, { provider, clientId, scopes })),
    sub: await server.openid!.subjects.of(key, clientId),
  }
}

/** Whose users the guard has to know. What the token says is not verified yet: that is the guard's work. */
async function findProvider(ctx: HttpContext, { tokens, manager }: AuthorizationServer) {
  const fallback = manager.usersOf().name
  const token = BEARER.exec(ctx.request.header('authorization') ?? '')?.[1]
  const jti = token && readJti(token)
  const found = jti && (await tokens.findAccessToken(jti))
  const provider = found ? found.record.provider : null
  return provider !== null && manager.hasUsers(provider) ? provider : fallback
}

function readJti(token: string): string | null {
  try {
    const { jti } = decodeJwt(token)
    return typeof jti === 'string' ? jti : null
  } catch {
    return null
  }
}
