import type { HttpContext } from '@adonisjs/core/http'

import { InvalidScope, InvalidTarget } from '#auth/errors'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import { ServerPart } from '#oauth2/server_part'
import type { Client } from '#oauth2/clients/client'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { type Grant, assertResource, authenticateConfidential } from '#oauth2/grants/grant'
import { type AssertGrant, grantAssertion } from '#oauth2/parameters'
import { ScopeCatalogue, splitScopes } from '#oauth2/scopes'
import { usersServedBy } from '#oauth2/token_owners'
import { type TrustedIssuer, JWT_BEARER } from '#oauth2/trusted_issuers/config'
import type { Owner, Users } from '#auth/users'
import * as assertions from '#oauth2/clients/assertions'
import { parseOutgoingUrl } from '#oauth2/clients/client_urls'
import { type DocumentFetcher, DocumentNotFetched } from '#http/document_fetcher'
import { nullFor } from '#process/null_for'

/** Another token of the issuer, e.g. an ID token, does not pass for an assertion (RFC 8725 §3.11). */
const MEDIA_TYPE = /^(application\/)?oauth-id-jag\+jwt$/i

const MAX_SUBJECT_LENGTH = 255

const assertAssertion: AssertGrant = grantAssertion(
  'The assertion is invalid, expired or already used.'
)

/** Bytes of a document. Identity providers of companies publish certificates with their keys. */
const MAX_BYTES = 100_000

/** An assertion that is its issuer's, in force, and made out to this server and this client. */
interface IdentityAssertion {
  issuer: TrustedIssuer
  claims: assertions.Claims & { sub: string; jti: string; exp: number; scope?: string }
}

/**
 * A client acts for a person whom a trusted issuer vouches for, without asking them: the identity
 * assertion authorization grant (RFC 7523 §2.1, draft-ietf-oauth-identity-assertion-authz-grant-04
 * §4.4), which MCP calls enterprise-managed authorization. The assertion works once, and no refresh
 * token comes of it (§4.4.3): the issuer is asked again and again.
 */
export class JwtBearerGrant extends ServerPart implements Grant {
  readonly identifier = JWT_BEARER
  /** The keys of an issuer are kept under the issuer itself. */
  readonly #keys = new assertions.ClientKeys(this.server, (fetcher, url) =>
    discover(fetcher, url.href)
  )

  async handle(request: ClientRequest) {
    const { config, dpop, issuance, tokens } = this.server
    const { ctx, parameters } = request

    const presented = parameters.require('assertion')
    const client = await authenticateConfidential(this.server, request, this.identifier)
    const assertion = await this.#verify(presented, client, ctx)
    const { claims, issuer } = assertion
    const named = () => config.served.resolve(single(claims.resource))
    const resource = orRefuse(InvalidTarget, 'resource', named)
    assertResource(this.server, request, resource, 'assertion')
    const scopes = this.#scopesOf(assertion, splitScopes(parameters.get('scope') ?? ''), client)
    const binding = await dpop.bind(request, client)
    /* An assertion that is bound to a key is good with its proof alone (RFC 7800 §3.1, RFC 9449 §6.1). */
    const isHolder = binding !== null && Object(claims.cnf).jkt === binding.jkt
    assertAssertion(claims.cnf === undefined || isHolder, 'assertion bound to another key')
    const user = await findSubject(this.server, assertion, client)

    /* Last, so that an error that the client can correct, e.g. a missing nonce, does not use it up. */
    const value = `${issuer.issuer} ${claims.jti}`
    const isNew = await tokens.used.use('identity_assertion', value, claims.exp * 1000)
    assertAssertion(isNew, 'assertion used before')
    const { accessTokenTtl: maxLifetime } = issuer
    const granted = { user, clientId: client.id, scopes, resource, binding, maxLifetime }
    return issuance.issue(this.identifier, granted, false)
  }

  /** RFC 7523 §3; draft-ietf-oauth-identity-assertion-authz-grant-04 §3.1 and §4.4.1. @throws {InvalidGrant} */
  async #verify(assertion: string, client: Client, ctx: HttpContext): Promise<IdentityAssertion> {
    const { iss } = assertions.claimsOf(assertion)
    const issuer = this.server.config.trustedIssuers.find((trusted) => trusted.issuer === iss)
    assertAssertion(issuer, 'assertion malformed, or of an issuer that is not trusted')
    const place = { jwks: issuer.jwks, jwksUri: new URL(issuer.issuer).href }
    const keys = await this.#keys.of(place, assertion, ctx)
    assertAssertion(keys, 'keys of the issuer not fetched')
    const claims = await assertions.verifyBy(keys, assertion, MEDIA_TYPE)
    assertAssertion(claims, 'assertion of another type, or not signed by a key of the issuer')
    const { exp, iat, sub, scope = '' } = claims
    const wrong = assertions.findWrong(claims, {
      aud: single(claims.aud) === this.server.config.issuer,
      client_id: claims.client_id === client.id,
      sub: typeof sub === 'string' && sub !== '' && sub.length <= MAX_SUBJECT_LENGTH,
      tenant: (claims.tenant ?? null) === issuer.tenant,
      iat: assertions.isNumber(iat) && Number(exp) - iat <= assertions.MAX_LIFETIME,
      resource: single(claims.resource) !== null,
      scope: typeof scope === 'string',
    })
    assertAssertion(wrong === null, `claim ${wrong} of the assertion missing or wrong`)
    return { issuer, claims: claims as IdentityAssertion['claims'] }
  }

  /**
   * The scopes of the assertion, the default ones without any. A request that names some has to name
   * all of the assertion's (Enterprise-Managed Authorization §7.2.1).
   */
  #scopesOf({ claims }: IdentityAssertion, requested: string[], client: Client): string[] {
    const { catalogue } = this.server
    const claimed = splitScopes(claims.scope ?? '')
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

/** The only name of a claim that is a text or a list; null for none and for several. */
function single(claim: unknown): string | null {
  const [name, ...others] = Array.isArray(claim) ? claim : [claim]
  return typeof name === 'string' && name !== '' && others.length === 0 ? name : null
}

/** The metadata must be the issuer's: another tenant of the host could name the keys (RFC 8414 §3.3). */
async function discover(fetcher: DocumentFetcher, url: string) {
  const { content } = await fetchMetadata(fetcher, url)
  const { issuer, jwks_uri: uri } = Object(content)
  const keysUrl = typeof uri === 'string' ? parseOutgoingUrl(uri) : null
  /* The parser gives an issuer without a path one: "/". */
  const isOwn = typeof issuer === 'string' && URL.parse(issuer)?.href === url
  if (!isOwn || keysUrl === null) {
    return { keys: null, maxAge: 0 }
  }
  const set = await fetcher.fetch(keysUrl, MAX_BYTES)
  return { keys: assertions.readPublicKeys(set.content), maxAge: set.maxAge }
}

/** OpenID Connect Discovery 1.0 §4, and RFC 8414 §3.1, which knows another place for issuers with a path. */
async function fetchMetadata(fetcher: DocumentFetcher, issuer: string) {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const fetch = (pathOf: string) => fetcher.fetch(new URL(origin + pathOf), MAX_BYTES)
  return (
    (await fetch(`${path}/.well-known/openid-configuration`).catch(nullFor(DocumentNotFetched))) ??
    fetch(`/.well-known/oauth-authorization-server${path}`)
  )
}

/** The active user of an assertion, of those that the client acts for. @throws {InvalidGrant} for none */
async function findSubject(
  { manager, guard }: AuthorizationServer,
  assertion: IdentityAssertion,
  client: Client
): Promise<Owner> {
  const users = usersServedBy(manager, client, guard)
  assertAssertion(users, 'client acts for users of no configured user provider')
  const isResolved = assertion.issuer.resolveUser !== null
  const user = await (isResolved ? resolve(assertion, users) : findByAddress(assertion, users))
  assertAssertion(user, 'subject of the assertion unknown or inactive')
  const verification = manager.feature('emailVerification')
  const hasAddresses = verification?.users === users
  /* The account of anybody who registered here with an address that is not theirs would be a stranger's. */
  const mustBeVerified = !isResolved || (hasAddresses && verification.isRequired)
  const isVerified = hasAddresses && verification.isVerified(user)
  assertAssertion(isVerified || !mustBeVerified, 'address of the user not verified')
  return users.ownerOf(user)
}

async function resolve({ issuer, claims }: IdentityAssertion, users: Users): Promise<unknown> {
  const identity = { issuer: issuer.issuer, subject: claims.sub, provider: users.name, claims }
  const id = await issuer.resolveUser!(identity)
  return id === null || id === undefined ? null : users.findActive(id)
}

/** The user with the address, when the issuer has verified it and is trusted for it. */
async function findByAddress({ issuer, claims }: IdentityAssertion, users: Users) {
  const { email, email_verified: isConfirmed = true } = claims
  const reason = 'assertion without an e-mail address, or with one that is not verified'
  assertAssertion(typeof email === 'string' && isConfirmed === true, reason)
  const address = email.toLowerCase()
  /* Of the sign for kelvin it is the letter k: the issuer has verified another mailbox. */
  assertAssertion(address.toUpperCase() === email.toUpperCase(), reason)
  const isTrusted = issuer.domains.some((domain) => address.endsWith(`@${domain}`))
  assertAssertion(isTrusted, 'e-mail address of a domain that the issuer is not trusted for')
  return users.findActiveByUsername(address)
}
