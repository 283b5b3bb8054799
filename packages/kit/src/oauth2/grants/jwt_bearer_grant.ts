import { InvalidScope, InvalidTarget } from '#auth/errors'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { Client } from '#oauth2/clients/client'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { type Grant, assertResource, authenticateConfidential } from '#oauth2/grants/grant'
import { ScopeCatalogue, splitScopes } from '#oauth2/scopes'
import { JWT_BEARER } from '#oauth2/trusted_issuers/config'
import {
  type IdentityAssertion,
  IdentityAssertions,
  assertAssertion,
  assertHolder,
  findSubject,
} from '#oauth2/trusted_issuers/identity_assertions'

/**
 * A client acts for a person whom a trusted issuer vouches for, without asking them: the identity
 * assertion authorization grant (RFC 7523 §2.1, draft-ietf-oauth-identity-assertion-authz-grant-04
 * §4.4), which MCP calls enterprise-managed authorization. The assertion works once, and no refresh
 * token comes of it (§4.4.3): the issuer is asked again and again.
 */
export class JwtBearerGrant implements Grant {
  readonly identifier = JWT_BEARER
  readonly #assertions: IdentityAssertions

  constructor(protected server: AuthorizationServer) {
    this.#assertions = new IdentityAssertions(server)
  }

  async handle(request: ClientRequest) {
    const { config, dpop, issuance, tokens } = this.server
    const { ctx, parameters } = request

    const presented = parameters.require('assertion')
    const client = await authenticateConfidential(this.server, request, this.identifier)
    const assertion = await this.#assertions.verify(presented, client, ctx)
    const { claims, issuer } = assertion
    const named = () => config.served.resolve(assertion.resource)
    const resource = orRefuse(InvalidTarget, 'resource', named)
    assertResource(this.server, request, resource, 'assertion')
    const scopes = this.#scopesOf(assertion, splitScopes(parameters.get('scope') ?? ''), client)
    const binding = await dpop.bind(request, client)
    assertHolder(claims, binding)
    const user = await findSubject(this.server, assertion, client)

    /* Last, so that an error that the client can correct, e.g. a missing nonce, does not use it up. */
    const value = `${issuer.issuer} ${claims.jti}`
    const isNew = await tokens.used.use('identity_assertion', value, claims.exp * 1000)
    assertAssertion(isNew, 'assertion used before')
    const { accessTokenTtl: maxLifetime } = issuer
    const granted = { user, clientId: client.id, scopes, resource, binding, maxLifetime }
    return issuance.issue(this.identifier, granted, false)
  }

  /**
   * The scopes of the assertion, the default ones without any. A request that names some has to name
   * all of the assertion's (Enterprise-Managed Authorization §7.2.1).
   */
  #scopesOf({ scope }: IdentityAssertion, requested: string[], client: Client): string[] {
    const { catalogue } = this.server
    const claimed = splitScopes(scope)
    const wanted = ScopeCatalogue.drop(requested, (name) => catalogue.names.includes(name))
    catalogue.assertKnown(wanted)
    const isCovered = !wanted.length || claimed.every((name) => wanted.includes(name))
    assertAssertion(isCovered, 'assertion for more scopes than the request names')
    const scopes = orRefuse(InvalidScope, 'scope', () => catalogue.resolve(claimed, client))
    return wanted.length ? scopes.filter((name) => wanted.includes(name)) : scopes
  }
}

/** An invalid claim makes the assertion invalid (Enterprise-Managed Authorization §7.6.2). */
function orRefuse<T>(refusal: new () => Error, claim: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    assertAssertion(!(error instanceof refusal), `claim ${claim} of the assertion not for here`)
    throw error
  }
}
