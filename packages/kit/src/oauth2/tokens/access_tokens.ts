import { hash } from 'node:crypto'

import { errors } from 'jose'

import { badToken } from '#auth/outcome'
import { assertOr } from '#process/assert_or'
import { BoundedMap } from '#process/remembered'
import { ServerPart } from '#oauth2/server_part'
import type { AccessTokenRecord } from '#oauth2/tokens/token_store'

/**
 * The claims of an access token (RFC 9068 §2.2). `sub` is the user, as the client knows them (`SubjectOf`), for client
 * credentials the client; `cnf` is the key that the token is bound to (RFC 9449 §6.1).
 */
type AccessTokenClaims = ReturnType<AccessTokens['claims']>

/** RFC 9068 §2.1: so that no other kind of JWT passes for an access token. */
const TYP = 'at+jwt'

/** Maximum number of cached signatures: a few megabytes. */
const CACHE_LIMIT = 10_000

const MAX_LENGTH = 16_384

export class AccessTokens extends ServerPart {
  /** What is known of tokens whose signature has been verified, by the token's digest. */
  readonly #verified = new BoundedMap<string, { claims: AccessTokenClaims; kid: string | null }>(
    CACHE_LIMIT
  )

  /** The claims of a token: the one place where they are made. @param sub the user, as the client knows them */
  claims(record: AccessTokenRecord, sub = record.userId ?? record.clientId!) {
    const { issuer, defaultAudience } = this.server.config
    const aud = record.resource ?? defaultAudience
    return {
      scope: record.scopes.join(' '),
      client_id: record.clientId,
      sub,
      exp: record.expiresAt / 1000,
      iat: record.createdAt / 1000,
      jti: record.jti,
      ...(aud !== null && { aud }),
      ...(issuer !== null && { iss: issuer }),
      ...(record.dpopJkt !== null && { cnf: { jkt: record.dpopJkt } }),
    }
  }

  /** The resource that a token is bound to, as its claims have it; null for none. */
  resourceOf({ aud }: AccessTokenClaims): string | null {
    return aud === undefined || aud === this.server.config.defaultAudience ? null : aud
  }

  async sign(record: AccessTokenRecord): Promise<string> {
    const { keys, subjectOf } = this.server
    const { userId, provider, clientId } = record
    const sub =
      userId === null ? undefined : await subjectOf({ userId, provider: provider! }, clientId)
    return keys.sign(this.claims(record, sub), { typ: TYP })
  }

  /**
   * Verifies algorithm, signature, `typ`, `iss` and `exp`. The audience, the token's row and its user
   * are left to the caller.
   * @throws {InvalidToken} when one of them is wrong
   */
  async verify(token: string): Promise<AccessTokenClaims> {
    const claims = await this.verifySignature(token)
    if (isPast(claims.exp)) {
      throw badToken('access token expired').toError()
    }
    return claims
  }

  /**
   * The same for a token that may have expired: it still names its chain. A signature is verified once;
   * whether the token is still active is looked up every time.
   * @throws {InvalidToken} when the token is not ours
   */
  async verifySignature(token: string): Promise<AccessTokenClaims> {
    if (token.length > MAX_LENGTH) {
      throw badToken('access token too long').toError()
    }
    const { keys } = this.server
    await keys.ready()
    const digest = hash('sha256', token, 'base64')
    const known = this.#verified.get(digest)
    if (known && keys.accepts(known.kid)) {
      return known.claims
    }
    const verified = await this.#verifyOnce(token)
    if (!isPast(verified.claims.exp)) {
      this.#verified.set(digest, verified)
    }
    return verified.claims
  }

  async #verifyOnce(token: string) {
    try {
      const { keys, config } = this.server
      const { claims, kid } = await keys.verify(token, { typ: TYP })
      /* RFC 9068 §4, but for the expiry and the audience. */
      const { iss, jti, sub, iat, exp, nbf } = claims
      assertClaim('iss', config.issuer === null || iss === config.issuer)
      assertClaim('jti', typeof jti === 'string')
      assertClaim('sub', typeof sub === 'string')
      assertClaim('iat', Number.isFinite(iat))
      assertClaim('exp', Number.isFinite(exp))
      assertClaim('nbf', nbf === undefined || (Number.isFinite(nbf) && isPast(nbf as number)))
      return { claims: claims as unknown as AccessTokenClaims, kid }
    } catch (error) {
      throw badToken(toReason(error)).toError()
    }
  }
}

function assertClaim(claim: string, isRight: boolean) {
  const problem = `"${claim}" claim check failed`
  assertOr(isRight, errors.JWTClaimValidationFailed, problem, {}, claim)
}

/** @param seconds since the epoch */
const isPast = (seconds: number) => seconds * 1000 <= Date.now()

const REASONS = [
  [errors.JWSSignatureVerificationFailed, 'signature wrong'],
  [errors.JWKSNoMatchingKey, 'signing key unknown'],
  [errors.JOSEAlgNotAllowed, 'signature algorithm not the configured one'],
] as const

function toReason(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `claim ${error.claim} missing or wrong`
  }
  return REASONS.find(([type]) => error instanceof type)?.[1] ?? 'access token malformed'
}

/** Refresh tokens contain only letters and digits, so a dot distinguishes them. */
export const looksLikeJwt = (token: string): boolean => token.includes('.')
