import type { Services } from '#oauth2/authorization_server'
import type { HttpRequest } from '@adonisjs/core/http'

import type { IntrospectionResponse } from '#oauth2/tokens/introspection'

/** RFC 9701 §4 */
export const SIGNED_INTROSPECTION = 'application/token-introspection+jwt'

/** RFC 9701 §5, 1: so that it passes for no other kind of JWT, an access token above all (§8.1). */
const TYP = 'token-introspection+jwt'

/**
 * Answers of the introspection endpoint as JWTs (RFC 9701), whose signature shows
 * later what this server said. There are none while no published key signs:
 * nobody but this server could verify them.
 */
export class SignedIntrospection {
  constructor(protected services: Services<'keys' | 'issuer'>) {}

  /** RFC 9701 §7. The keys have been read. */
  metadata() {
    const { isAsymmetric, algorithms } = this.services.keys
    return isAsymmetric ? { introspection_signing_alg_values_supported: algorithms } : {}
  }

  /** Whether the caller asks for a JWT rather than JSON, and can have one. */
  async isWanted(request: HttpRequest): Promise<boolean> {
    const { keys } = this.services
    if (!keys.stored || !request.header('accept')) {
      return false
    }
    await keys.ready()
    const preferred = request.accepts(['application/json', SIGNED_INTROSPECTION])
    return preferred === SIGNED_INTROSPECTION && keys.isAsymmetric
  }

  /**
   * The answer as a JWT for the client that asked (§5). What it says of the token
   * is in a claim of its own; the JWT has no `sub` and no `exp`.
   */
  sign(answer: IntrospectionResponse, clientId: string, request: HttpRequest): Promise<string> {
    const { keys, issuer } = this.services
    const claims = {
      iss: issuer.of(request),
      aud: clientId,
      iat: Math.floor(Date.now() / 1000),
      token_introspection: answer,
    }
    return keys.sign(claims, { typ: TYP })
  }
}
