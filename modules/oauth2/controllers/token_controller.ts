import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { AuthorizationServer } from '#oauth2/authorization_server'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { Parameters } from '#oauth2/parameters'

/** The endpoints that clients call themselves: form in, JSON out, never cached (RFC 6749 §5.1). */
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

  /** Token introspection (RFC 7662). */
  async introspect(ctx: HttpContext) {
    return this.#answer(ctx, await this.server.introspection.introspect(read(ctx)))
  }

  /** Token revocation (RFC 7009). */
  async revoke(ctx: HttpContext) {
    await this.server.revocation.revoke(read(ctx))
    return this.#answer(ctx, { revoked: true })
  }

  #answer({ response }: HttpContext, body: object) {
    response.header('Cache-Control', 'no-store').header('Pragma', 'no-cache')
    return response.ok(body)
  }
}

function read(ctx: HttpContext): ClientRequest {
  return { ctx, parameters: Parameters.fromForm(ctx.request) }
}
