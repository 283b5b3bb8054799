import type { HttpContext, HttpRequest } from '@adonisjs/core/http'

import type { AuthorizationServer } from '#oauth2/authorization_server'
import { ClientKeys } from '#oauth2/clients/assertions/client_keys'
import {
  type Claims,
  claimsOf,
  findWrong,
  verifyBy,
} from '#oauth2/clients/assertions/signed_claims'
import type { Client } from '#oauth2/clients/client'

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** A token of another kind that the client has signed does not pass for an assertion (RFC 8725 §3.11). */
const MEDIA_TYPE = /^(application\/)?(jwt|client-authentication\+jwt)$/i

/** Clients that sign a JWT to authenticate: `private_key_jwt` (RFC 7521 §4.2, RFC 7523 §2.2 and §3). */
export class ClientAssertions {
  readonly #keys: ClientKeys

  constructor(protected server: AuthorizationServer) {
    this.#keys = new ClientKeys(server)
  }

  /** The client that an assertion speaks of. Nothing is verified yet; null when it speaks of none. */
  subject(assertion: string): string | null {
    return claimsOf(assertion).sub || null
  }

  /** Why an assertion is refused, for operators; null when it is right. It is used up then. */
  async judge(client: Client, assertion: string, ctx: HttpContext): Promise<string | null> {
    const keys = await this.#keys.of(client, assertion, ctx)
    if (keys === null) {
      return 'keys of the client not fetched'
    }
    const claims = await verifyBy(keys, assertion, isAssertionType)
    if (claims === null) {
      return 'client_assertion not signed by a key of the client'
    }
    const wrong = this.#findWrong(client, claims, ctx.request)
    if (wrong !== null) {
      return `claim ${wrong} of the client_assertion missing or wrong`
    }
    const value = `${client.id} ${claims.jti}`
    const until = (claims.exp as number) * 1000
    const isNew = await this.server.tokens.used.use('client_assertion', value, until)
    return isNew ? null : 'client_assertion used before'
  }

  /** RFC 7523 §3 */
  #findWrong({ id }: Client, claims: Claims, request: HttpRequest): string | null {
    const aud = this.#isForThisServer(claims.aud, request)
    return findWrong(claims, { iss: claims.iss === id, sub: claims.sub === id, aud })
  }

  /**
   * This server and nobody else: another audience could present the assertion here. Its
   * endpoints of tokens and of pushed requests name it as well (RFC 9126 §2).
   */
  #isForThisServer(audience: unknown, request: HttpRequest): boolean {
    const issuer = this.server.issuerOf(request)
    const own: unknown[] = [issuer, `${issuer}/oauth/token`, `${issuer}/oauth/par`]
    const named = Array.isArray(audience) ? audience : [audience]
    return named.length > 0 && named.every((name) => own.includes(name))
  }
}

const isAssertionType = (type: unknown) => type === undefined || MEDIA_TYPE.test(String(type))
