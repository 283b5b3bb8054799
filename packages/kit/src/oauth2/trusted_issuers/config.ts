import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import type { JWK } from 'jose'

import type { UserId } from '#auth/user_providers/user_provider'
import { parseKeysUrl } from '#oauth2/clients/assertions/keys_url'
import { readPublicKeys } from '#oauth2/clients/assertions/public_keys'
import { type KeysOf, assertKnownKeys, positiveNumber } from '#config/checks'
import type { MaybePromise } from '#process/maybe_promise'

/** The `grant_type` of assertions (RFC 7523 §2.1). It is on when an issuer is trusted. */
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** What the metadata say of it (draft-ietf-oauth-identity-assertion-authz-grant-04 §7.2). */
export const ID_JAG_PROFILE = 'urn:ietf:params:oauth:grant-profile:id-jag'

/** Whom an assertion speaks of. */
export interface ForeignIdentity {
  issuer: string
  /** The person's id at the issuer: unique together with it. */
  subject: string
  /** The user provider that the wanted user is of. */
  provider: string
  /** All claims of the assertion, verified to be the issuer's. */
  claims: Record<string, unknown>
}

/** An identity provider whose assertions about people are trusted. */
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

const SETTINGS: KeysOf<TrustedIssuerConfig> = {
  issuer: true,
  domains: true,
  resolveUser: true,
  jwks: true,
  tenant: true,
  accessTokenTtl: true,
}

export interface TrustedIssuer {
  issuer: string
  domains: string[]
  resolveUser: TrustedIssuerConfig['resolveUser'] | null
  /** null: those that its metadata name. */
  jwks: JWK[] | null
  tenant: string | null
  accessTokenTtl: number
}

/**
 * Fills in the defaults.
 *
 * @param own the issuer identifier of this server
 * @throws {InvalidArgumentsException} for an unknown setting, or a value that cannot work
 */
export function resolveTrustedIssuers(
  issuers: TrustedIssuerConfig[] = [],
  own: string | null
): TrustedIssuer[] {
  if (issuers.length && own === null) {
    throw new InvalidArgumentsException(
      'OAuth2Config: "trustedIssuers" needs an "issuer", which assertions are made out to. Set OAUTH_ISSUER'
    )
  }
  const names = issuers.map(({ issuer }) => issuer)
  const repeated = names.find((name, index) => name === own || names.indexOf(name) < index)
  if (repeated !== undefined) {
    throw new InvalidArgumentsException(
      `TrustedIssuerConfig: "${repeated}" is there twice, or is this server itself`
    )
  }
  return issuers.map(resolveTrustedIssuer)
}

function resolveTrustedIssuer(config: TrustedIssuerConfig): TrustedIssuer {
  assertKnownKeys('TrustedIssuerConfig', config, SETTINGS)
  const { issuer, domains = [], resolveUser = null, tenant = null, accessTokenTtl = 600 } = config
  if (!parseKeysUrl(issuer) || issuer.includes('?')) {
    throw new InvalidArgumentsException(
      `TrustedIssuerConfig: the issuer "${issuer}" must be an https URL with a host name, without user, query and fragment`
    )
  }
  if ((domains.length === 0) === (resolveUser === null)) {
    throw new InvalidArgumentsException(
      `TrustedIssuerConfig: "${issuer}" needs either "domains" or "resolveUser"`
    )
  }
  domains.forEach(assertDomain)
  const jwks = config.jwks === undefined ? null : readPublicKeys(config.jwks)
  if (config.jwks !== undefined && jwks === null) {
    throw new InvalidArgumentsException(
      `TrustedIssuerConfig: the "jwks" of "${issuer}" must be a JSON Web Key Set of 1 to 20 public keys for signatures`
    )
  }
  positiveNumber('TrustedIssuerConfig', 'accessTokenTtl', accessTokenTtl, { whole: true })
  return { issuer, domains, resolveUser, jwks, tenant, accessTokenTtl }
}

/** A domain in another spelling would match no address. */
function assertDomain(domain: string) {
  const url = `https://${domain}/`
  if (/[*:@]/.test(domain) || !URL.canParse(url) || new URL(url).host !== domain) {
    throw new InvalidArgumentsException(
      `TrustedIssuerConfig: "${domain}" must be the domain of e-mail addresses, in lower case`
    )
  }
}
