import type { HttpContext } from '@adonisjs/core/http'
import { decodeJwt } from 'jose'

import { InvalidGrant } from '#auth/errors'
import type { Services } from '#oauth2/authorization_server'
import type { ClientKeys } from '#oauth2/clients/assertions/client_keys'
import {
  type Claims,
  LEEWAY,
  isFuture,
  isNumber,
  isTokenId,
  readHeader,
  verifyBy,
} from '#oauth2/clients/assertions/signed_claims'
import type { Client } from '#oauth2/clients/client'
import type { Binding } from '#oauth2/dpop/dpop'
import type { TrustedIssuer } from '#oauth2/trusted_issuers/config'
import { createIssuerKeys } from '#oauth2/trusted_issuers/issuer_keys'

/** Seconds that an assertion may live at most, because it is remembered for as long. */
const MAX_LIFETIME = 3600

/** A token of another kind that the issuer has signed, an ID token for example, does not pass for an assertion (RFC 8725 §3.11). */
const MEDIA_TYPE = /^(application\/)?oauth-id-jag\+jwt$/i

const MAX_SUBJECT_LENGTH = 255

/** An assertion that is its issuer's, in force, and made out to this server and this client. */
export interface IdentityAssertion {
  issuer: TrustedIssuer
  claims: Claims & { sub: string; jti: string; exp: number }
  /** The resource as the assertion names it. */
  resource: string
  scope: string
}

/**
 * Assertions of trusted issuers about people (RFC 7523 §3;
 * draft-ietf-oauth-identity-assertion-authz-grant-04 §3.1 and §4.4.1).
 */
export class IdentityAssertions {
  readonly #keys: ClientKeys

  constructor(protected services: Services<'config' | 'fetcher' | 'manager'>) {
    this.#keys = createIssuerKeys(services)
  }

  /** @throws {InvalidGrant} when something is wrong with the assertion */
  async verify(assertion: string, client: Client, ctx: HttpContext): Promise<IdentityAssertion> {
    const issuer = this.#issuerOf(assertion)
    if (!issuer) {
      throw refused('assertion malformed, or of an issuer that is not trusted')
    }
    const { kid } = readHeader(assertion)
    const keys = await this.#keys.of({ jwks: issuer.jwks, jwksUri: urlOf(issuer) }, kid, ctx)
    if (keys === null) {
      throw refused('keys of the issuer not fetched')
    }
    const claims = await verifyBy(keys, assertion, isIdentityAssertion)
    if (claims === null) {
      throw refused('assertion of another type, or not signed by a key of the issuer')
    }
    const wrong = this.#findWrong(claims, issuer, client)
    if (wrong !== null) {
      throw refused(`claim ${wrong} of the assertion missing or wrong`)
    }
    return {
      issuer,
      claims: claims as IdentityAssertion['claims'],
      resource: single(claims.resource)!,
      scope: (claims.scope as string | undefined) ?? '',
    }
  }

  /** Nothing is verified yet. */
  #issuerOf(assertion: string): TrustedIssuer | undefined {
    try {
      const { iss } = decodeJwt(assertion)
      return this.services.config.trustedIssuers.find(({ issuer }) => issuer === iss)
    } catch {
      return undefined
    }
  }

  /** The first claim that is missing or wrong. There is no leeway after `exp`: until then the assertion is remembered. */
  #findWrong(claims: Claims, { tenant }: TrustedIssuer, client: Client): string | null {
    const now = Date.now() / 1000
    const { exp, iat, nbf, sub, scope } = claims
    const rules: Record<string, boolean> = {
      aud: single(claims.aud) === this.services.config.issuer,
      client_id: claims.client_id === client.id,
      sub: typeof sub === 'string' && sub !== '' && sub.length <= MAX_SUBJECT_LENGTH,
      tenant: (claims.tenant ?? null) === tenant,
      exp: isNumber(exp) && exp > now && exp <= now + MAX_LIFETIME + LEEWAY,
      iat: isNumber(iat) && !isFuture(iat, now) && Number(exp) - iat <= MAX_LIFETIME,
      nbf: nbf === undefined || !isFuture(nbf, now),
      jti: isTokenId(claims.jti),
      resource: single(claims.resource) !== null,
      scope: scope === undefined || typeof scope === 'string',
    }
    return Object.keys(rules).find((claim) => !rules[claim]) ?? null
  }
}

/** An assertion that is bound to a key is good with its proof alone (RFC 7800 §3.1, RFC 9449 §6.1). */
export function assertHolder({ cnf }: Claims, binding: Binding | null): void {
  if (cnf !== undefined && (binding === null || Object(cnf).jkt !== binding.jkt)) {
    throw refused('assertion bound to another key')
  }
}

/** One answer, whatever is wrong with the assertion: a caller cannot find out which users exist. */
export function refused(reason: string) {
  return new InvalidGrant('The assertion is invalid, expired or already used.', { reason })
}

/** The only name of a claim that is a text or a list; null for none and for several. */
function single(claim: unknown): string | null {
  const [name, ...others] = Array.isArray(claim) ? claim : [claim]
  return typeof name === 'string' && name !== '' && others.length === 0 ? name : null
}

function urlOf({ issuer }: TrustedIssuer) {
  return new URL(issuer).href
}

function isIdentityAssertion(type: unknown): boolean {
  return typeof type === 'string' && MEDIA_TYPE.test(type)
}
