import type { HttpContext, HttpRequest } from '@adonisjs/core/http'
import { type JWK, compactVerify, decodeJwt, decodeProtectedHeader, importJWK } from 'jose'

import { hashSecret } from '#support/secrets'
import type { AssertionStore } from '#oauth2/clients/assertions/assertion_store'
import type { ClientKeys } from '#oauth2/clients/assertions/client_keys'
import type { Client } from '#oauth2/clients/client'
import type { Issuer } from '#oauth2/issuer'
import { ASYMMETRIC_ALGORITHMS } from '#oauth2/keys/signing_key'

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Seconds that an assertion may live at most, because it is remembered for as long (RFC 7523 §3, 4). */
const MAX_LIFETIME = 3600

/** Seconds that the clock of a client may be ahead. */
const LEEWAY = 60

const MAX_JTI_LENGTH = 255

/** A token of another kind that the client has signed does not pass for an assertion (RFC 8725 §3.11). */
const MEDIA_TYPE = /^(application\/)?(jwt|client-authentication\+jwt)$/i

type Claims = Record<string, unknown>

/**
 * Clients that authenticate by a JWT which they sign themselves: the method
 * `private_key_jwt` (RFC 7521 §4.2, RFC 7523 §2.2 and §3).
 */
export class ClientAssertions {
  constructor(protected parts: { keys: ClientKeys; used: AssertionStore; issuer: Issuer }) {}

  /** The client that an assertion speaks of. Nothing is verified yet; null when it speaks of none. */
  subject(assertion: string): string | null {
    try {
      return decodeJwt(assertion).sub || null
    } catch {
      return null
    }
  }

  /** Why an assertion is refused, for operators; null when it is right. It is used up then. */
  async judge(client: Client, assertion: string, ctx: HttpContext): Promise<string | null> {
    const { kid } = readHeader(assertion)
    const keys = await this.parts.keys.of(client, kid, ctx)
    if (keys === null) {
      return 'keys of the client not fetched'
    }
    const claims = await verifyBy(keys, assertion)
    if (claims === null) {
      return 'client_assertion not signed by a key of the client'
    }
    const wrong = this.#findWrong(client, claims, ctx.request)
    if (wrong !== null) {
      return `claim ${wrong} of the client_assertion missing or wrong`
    }
    const digest = hashSecret(`${client.id} ${claims.jti}`)
    const isNew = await this.parts.used.use(digest, Math.ceil((claims.exp as number) * 1000))
    return isNew ? null : 'client_assertion used before'
  }

  /** RFC 7523 §3: the first claim that is missing or wrong. */
  #findWrong({ id }: Client, claims: Claims, request: HttpRequest): string | null {
    const now = Date.now() / 1000
    const { exp, nbf, iat, jti } = claims
    const isFuture = (instant: unknown) => !isNumber(instant) || instant > now + LEEWAY
    const rules: Record<string, boolean> = {
      iss: claims.iss === id,
      sub: claims.sub === id,
      aud: this.#isForThisServer(claims.aud, request),
      exp: isNumber(exp) && exp > now && exp <= now + MAX_LIFETIME + LEEWAY,
      nbf: nbf === undefined || !isFuture(nbf),
      iat: iat === undefined || !isFuture(iat),
      jti: typeof jti === 'string' && jti !== '' && jti.length <= MAX_JTI_LENGTH,
    }
    return Object.keys(rules).find((claim) => !rules[claim]) ?? null
  }

  /**
   * This server and nobody else: another audience could present the assertion here. Its
   * endpoints of tokens and of pushed requests name it as well (RFC 9126 §2).
   */
  #isForThisServer(audience: unknown, request: HttpRequest): boolean {
    const issuer = this.parts.issuer.of(request)
    const own: unknown[] = [issuer, `${issuer}/oauth/token`, `${issuer}/oauth/par`]
    const named = Array.isArray(audience) ? audience : [audience]
    return named.length > 0 && named.every((name) => own.includes(name))
  }
}

/** The claims, when one of the client's keys has signed them; an HMAC is no signature (RFC 8725 §2.1). */
async function verifyBy(keys: JWK[], assertion: string): Promise<Claims | null> {
  const { kid, alg, typ } = readHeader(assertion)
  const isKnown = typeof alg === 'string' && ASYMMETRIC_ALGORITHMS.includes(alg)
  if (!isKnown || (typ !== undefined && !MEDIA_TYPE.test(String(typ)))) {
    return null
  }
  for (const key of keys.filter((candidate) => mayFit(candidate, kid, alg))) {
    if (await isSignedBy(key, alg, assertion)) {
      return decodeJwt(assertion)
    }
  }
  return null
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function readHeader(assertion: string) {
  try {
    return decodeProtectedHeader(assertion)
  } catch {
    return {}
  }
}

function mayFit(key: JWK, kid: string | undefined, alg: string) {
  return (kid === undefined || key.kid === kid) && (key.alg === undefined || key.alg === alg)
}

/** A key that is malformed, too weak, or for another algorithm has signed nothing. */
async function isSignedBy(key: JWK, algorithm: string, assertion: string): Promise<boolean> {
  try {
    const { use, key_ops: operations, ...plain } = key
    await compactVerify(assertion, await importJWK(plain, algorithm), { algorithms: [algorithm] })
    return true
  } catch {
    return false
  }
}
