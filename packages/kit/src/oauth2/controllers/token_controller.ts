import type { HttpContext } from '@adonisjs/core/http'

import { InsufficientScope } from '#auth/errors'
import { neverCached } from '#oauth2/pages'
import { type AuthorizationServer, ServerController } from '#oauth2/authorization_server'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { claimsOf } from '#oauth2/clients/assertions'
import { registerClient } from '#oauth2/clients/client_metadata'
import { OAuth2Guard } from '#oauth2/guard'
import { userClaims } from '#oauth2/openid/claims'
import { OPENID } from '#oauth2/settings'
import { Parameters, readJsonObject } from '#oauth2/parameters'
import { SIGNED_INTROSPECTION } from '#oauth2/tokens/held_tokens'
import { assertFound } from '#http/errors'
import { assertOr } from '#process/assert_or'

/** The schemes of access tokens (RFC 6750 §2.1, RFC 9449 §7.1). */
const ACCESS_TOKEN = /^(?:bearer|dpop) +(\S+)$/i

/** The endpoints that clients call: form in, JSON or a JWT out, never cached (RFC 6749 §5.1). */
export default class TokenController extends ServerController {
  /** RFC 6749 §3.2 */
  async store(ctx: HttpContext) {
    return answer(ctx, await this.server.grants.respond(read(ctx)))
  }

  /** The password grant on an endpoint of its own. */
  async password(ctx: HttpContext) {
    return answer(ctx, await this.server.grants.respondPassword(read(ctx)))
  }

  /** Token introspection (RFC 7662), as a JWT when one is asked for (RFC 9701). */
  async introspect(ctx: HttpContext) {
    const { introspection } = this.server
    const introspected = await introspection.introspect(read(ctx))
    if (!(await introspection.isSignedWanted(ctx.request))) {
      return answer(ctx, introspected)
    }
    const signed = await introspection.sign(introspected, ctx.request.actingClient!, ctx.request)
    neverCached(ctx).header('Content-Type', SIGNED_INTROSPECTION)
    return ctx.response.send(signed)
  }

  /** Token revocation (RFC 7009). */
  async revoke(ctx: HttpContext) {
    await this.server.revocation.revoke(read(ctx))
    return answer(ctx, { revoked: true })
  }

  /** Client registration (RFC 7591 §3), by the setting `dynamicRegistration`. */
  async register(ctx: HttpContext) {
    assertFound(this.server.config.dynamicRegistration, ctx)
    const body = readJsonObject(ctx.request)
    return neverCached(ctx).created(await registerClient(this.server, ctx, body))
  }

  /** Pushed authorization requests (RFC 9126 §2), by the setting `pushedRequests`. */
  async push(ctx: HttpContext) {
    assertFound(this.server.config.pushedRequests.enabled, ctx)
    return neverCached(ctx).created(await this.server.pushed.push(ctx))
  }

  /** The sign-in of a device (RFC 8628 §3.1), by the setting `grantTypes`. */
  async authorizeDevice(ctx: HttpContext) {
    assertFound(this.server.devices.isEnabled, ctx)
    return answer(ctx, await this.server.devices.begin(read(ctx)))
  }

  /** What OpenID Connect knows of a user (OpenID Connect Core 1.0 §5.3). */
  async userInfo(ctx: HttpContext) {
    assertFound(this.server.openid !== null, ctx)
    return answer(ctx, await readUserInfo(ctx, this.server))
  }
}

const answer = (ctx: HttpContext, body: object) => neverCached(ctx).ok(body)

function read(ctx: HttpContext): ClientRequest {
  return { ctx, parameters: Parameters.fromForm(ctx.request) }
}

/** What a client may know of a token's user (Core §5.3). @throws {InvalidToken | InsufficientScope} */
async function readUserInfo(ctx: HttpContext, server: AuthorizationServer) {
  const provider = await findProvider(ctx, server)
  const users = server.manager.users(provider)
  const guard = new OAuth2Guard('userinfo', users, ctx, { ...server, audience: null })
  const user = await guard.authenticate()
  const { clientId, scopes } = guard.context!
  assertOr(scopes.includes(OPENID), InsufficientScope, undefined, { scopes: [OPENID] })
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
