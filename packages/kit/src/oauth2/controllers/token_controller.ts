import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { AuthorizationServer } from '#oauth2/authorization_server'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { Parameters } from '#oauth2/parameters'
import { SIGNED_INTROSPECTION } from '#oauth2/tokens/signed_introspection'
import { actingClient } from '#http/acting_client'

/** The endpoints that clients call themselves: form in, JSON or a JWT out, never cached (RFC 6749 §5.1). */
@inject()
export default class TokenController {
  constructor(protected server: AuthorizationServer) {}

  /** The token endpoint (RFC 6749 §3.2). */
  async store(ctx: HttpContext) {
    return this.#answer(ctx, await this.server.grants.respond(read(ctx)))
  }

  /** The password grant on an endpoint of its own. */
  async password(ctx: HttpContext) {
    return this.#answer(ctx, await this.server.grants.respondPassword(read(ctx)))
  }

  /** Token introspection (RFC 7662), as a JWT when one is asked for (RFC 9701). */
  async introspect(ctx: HttpContext) {
    const { introspection, signedIntrospection } = this.server
    const answer = await introspection.introspect(read(ctx))
    if (!(await signedIntrospection.isWanted(ctx.request))) {
      return this.#answer(ctx, answer)
    }
    const signed = await signedIntrospection.sign(answer, actingClient(ctx)!, ctx.request)
    neverCached(ctx).header('Content-Type', SIGNED_INTROSPECTION)
    return ctx.response.send(signed)
  }

  /** Token revocation (RFC 7009). */
  async revoke(ctx: HttpContext) {
    await this.server.revocation.revoke(read(ctx))
    return this.#answer(ctx, { revoked: true })
  }

  #answer(ctx: HttpContext, body: object) {
    return neverCached(ctx).ok(body)
  }
}

function neverCached({ response }: HttpContext) {
  return response.header('Cache-Control', 'no-store').header('Pragma', 'no-cache')
}

function read(ctx: HttpContext): ClientRequest {
  return { ctx, parameters: Parameters.fromForm(ctx.request) }
}
