import type { JWK } from 'jose'

import type { UserId } from '#auth/users'
import { parseOutgoingUrl } from '#oauth2/clients/client_urls'
import { readPublicKeys } from '#oauth2/clients/assertions'
import { assertArgument, withDefaults } from '#config/checks'
import type { MaybePromise } from '#process/maybe_promise'

/** The `grant_type` of assertions (RFC 7523 §2.1). It is on when an issuer is trusted. */
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** What the metadata say of it (draft-ietf-oauth-identity-assertion-authz-grant-04 §7.2). */
export const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag'

export interface ForeignIdentity {
  issuer: string
  /** The person's id at the issuer: unique together with it. */
  subject: string
  /** The user provider that the wanted user is of. */
  provider: string
  /** All claims of the assertion, verified to be the issuer's. */
  claims: Record<string, unknown>
}

export interface TrustedIssuerConfig {
  /** Its issuer identifier: the `iss` of its assertions, letter by letter. */
  issuer: string
  /**
   * Domains of e-mail addresses that the issuer speaks for: `acme.example`. Its people are the users
   * with these addresses, once the addresses are verified here.
   */
  domains?: string[]
  /** Finds the id of the user whom an identity belongs to, instead of `domains`; null for nobody. */
  resolveUser?: (identity: ForeignIdentity) => MaybePromise<UserId | null>
  /** Its public keys, a JSON Web Key Set. Default: those that its metadata name. */
  jwks?: { keys: JWK[] }
  /** The `tenant` that assertions have to be of, for an issuer with several. Default: they have none. */
  tenant?: string
  /** Seconds that access tokens live, `accessTokenTtl` of the server at most. Default 600. */
  accessTokenTtl?: number
}

export type TrustedIssuer = ReturnType<typeof resolveTrustedIssuer>

/** @throws {InvalidArgumentsException} for an unknown setting, or a value that cannot work */
export function resolveTrustedIssuers(issuers: TrustedIssuerConfig[], own: string | null) {
  const nameless =
    'OAuth2Config: "trustedIssuers" needs an "issuer", which assertions are made out to. Set OAUTH_ISSUER'
  assertArgument(!issuers.length || own !== null, nameless)
  const names = issuers.map(({ issuer }) => issuer)
  const repeated = names.find((name, index) => name === own || names.indexOf(name) < index)
  const twice = `TrustedIssuerConfig: "${repeated}" is there twice, or is this server itself`
  assertArgument(repeated === undefined, twice)
  return issuers.map(resolveTrustedIssuer)
}

function resolveTrustedIssuer(config: TrustedIssuerConfig) {
  const defaults = {
    issuer: config.issuer,
    domains: [] as string[],
    resolveUser: undefined,
    jwks: undefined,
    tenant: undefined,
    accessTokenTtl: 600,
  }
  const filled = withDefaults('TrustedIssuerConfig', config, defaults, { whole: true })
  const { jwks: set, ...settings } = filled
  const { issuer, domains, resolveUser = null, tenant = null, accessTokenTtl } = settings
  const unsafe = `TrustedIssuerConfig: the issuer "${issuer}" must be an https URL with a host name, without user, query and fragment`
  assertArgument(parseOutgoingUrl(issuer) !== null && !issuer.includes('?'), unsafe)
  const ambiguous = `TrustedIssuerConfig: "${issuer}" needs either "domains" or "resolveUser"`
  assertArgument((domains.length === 0) !== (resolveUser === null), ambiguous)
  for (const domain of domains) {
    const misspelt = `TrustedIssuerConfig: "${domain}" must be the domain of e-mail addresses, in lower case`
    const isDomain = !/[*:@]/.test(domain) && URL.parse(`https://${domain}/`)?.host === domain
    assertArgument(isDomain, misspelt)
  }
  const jwks = set === undefined ? null : readPublicKeys(set)
  const unusable = `TrustedIssuerConfig: the "jwks" of "${issuer}" must be a JSON Web Key Set of 1 to 20 public keys for signatures`
  assertArgument(set === undefined || jwks !== null, unusable)
  return { issuer, domains, resolveUser, jwks, tenant, accessTokenTtl }
}
