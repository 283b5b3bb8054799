import { createHash } from 'node:crypto'

import { SignJWT, errors, jwtVerify } from 'jose'

import { InvalidToken } from '#auth/errors'
import type { SigningKey } from '#oauth2/tokens/signing_key'
import type { AccessTokenRecord } from '#oauth2/tokens/token_store'

/** The claims of an access token (RFC 9068 §2.2). */
export interface AccessTokenClaims {
  scope: string
  client_id: string | null
  /** The user's id; for client credentials the client's (RFC 9068 §2.2). */
  sub: string
  /** Epoch seconds, as `iat`. */
  exp: number
  iat: number
  jti: string
  aud?: string
  iss?: string
}

/** RFC 9068 §2.1: so that no other kind of JWT passes for an access token. */
const TYP = 'at+jwt'

/** Tokens whose signature is remembered: a few megabytes. */
const CACHE_LIMIT = 10_000

const MAX_LENGTH = 16_384

/** Signs access tokens and verifies them. */
export class AccessTokens {
  /** Claims of tokens whose signature has been verified, by the token's digest, the oldest first. */
  readonly #verified = new Map<string, AccessTokenClaims>()

  constructor(
    protected key: SigningKey,
    protected issuer: string | null
  ) {}

  /** The claims of a token: the one place where they are made. */
  claims(record: AccessTokenRecord): AccessTokenClaims {
    return {
      scope: record.scopes.join(' '),
      client_id: record.clientId,
      sub: record.userId ?? record.clientId!,
      exp: record.expiresAt / 1000,
      iat: record.createdAt / 1000,
      jti: record.jti,
      ...(record.resource !== null && { aud: record.resource }),
      ...(this.issuer !== null && { iss: this.issuer }),
    }
  }

  /** The token itself. */
  async sign(record: AccessTokenRecord): Promise<string> {
    return new SignJWT({ ...this.claims(record) })
      .setProtectedHeader({ alg: this.key.algorithm, typ: TYP })
      .sign(this.key.sign)
  }

  /**
   * Verifies algorithm, signature, `typ`, `iss` and `exp`. What is left is the
   * caller's: the audience, the token's row and its user.
   *
   * @throws {InvalidToken} when one of them is wrong
   */
  async verify(token: string): Promise<AccessTokenClaims> {
    const claims = await this.verifySignature(token)
    if (Date.now() >= claims.exp * 1000) {
      throw refused('access token expired')
    }
    return claims
  }

  /**
   * The same for a token that may have expired. A signature is verified once;
   * whether the token is still active is looked up every time.
   *
   * @throws {InvalidToken} when the token is not ours
   */
  async verifySignature(token: string): Promise<AccessTokenClaims> {
    if (token.length > MAX_LENGTH) {
      throw refused('access token too long')
    }
    const digest = createHash('sha256').update(token).digest('base64')
    const known = this.#verified.get(digest)
    if (known) {
      return known
    }
    const claims = await this.#verifyOnce(token)
    this.#remember(digest, claims)
    return claims
  }

  /** Expiry is judged in `verify`, against a clock that jose does not know; to it every token is new. */
  async #verifyOnce(token: string) {
    try {
      const { payload } = await jwtVerify<AccessTokenClaims>(token, this.key.verify, {
        algorithms: [this.key.algorithm],
        typ: TYP,
        currentDate: new Date(0),
        requiredClaims: ['jti', 'exp', 'iat', 'sub'],
        ...(this.issuer !== null && { issuer: this.issuer }),
      })
      assertText(payload.jti, 'jti')
      assertText(payload.sub, 'sub')
      return payload
    } catch (error) {
      throw refused(toReason(error))
    }
  }

  #remember(digest: string, claims: AccessTokenClaims) {
    if (Date.now() >= claims.exp * 1000) {
      return
    }
    if (this.#verified.size >= CACHE_LIMIT) {
      this.#verified.delete(this.#verified.keys().next().value!)
    }
    this.#verified.set(digest, claims)
  }
}

/** jose checks that a claim is there, and not its type. */
function assertText(value: unknown, claim: string) {
  if (typeof value !== 'string') {
    throw new errors.JWTClaimValidationFailed(`"${claim}" claim must be a string`, {}, claim)
  }
}

function toReason(error: unknown): string {
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `claim ${error.claim} missing or wrong`
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return 'signature wrong'
  }
  return error instanceof errors.JOSEAlgNotAllowed
    ? 'signature algorithm not the configured one'
    : 'access token malformed'
}

/** One answer, whatever is wrong with the token. */
function refused(reason: string) {
  return new InvalidToken(undefined, false, { reason })
}

/** Refresh tokens have letters and digits alone, so a dot tells the two apart. */
export function looksLikeJwt(token: string): boolean {
  return token.includes('.')
}
