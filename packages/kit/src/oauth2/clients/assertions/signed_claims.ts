import { type JWK, compactVerify, decodeJwt, decodeProtectedHeader, importJWK } from 'jose'

import { ASYMMETRIC_ALGORITHMS } from '#oauth2/keys/signing_key'

export type Claims = Record<string, unknown>

/** Seconds that the clock of whoever signed may be ahead. */
export const LEEWAY = 60

const MAX_JTI_LENGTH = 255

/**
 * The claims, when one of the keys has signed them; an HMAC is no signature (RFC 8725 §2.1).
 *
 * @param isType judges the `typ`: a token of another kind must not pass (RFC 8725 §3.11)
 */
export async function verifyBy(
  keys: JWK[],
  assertion: string,
  isType: (type: unknown) => boolean
): Promise<Claims | null> {
  const { kid, alg, typ } = readHeader(assertion)
  const isKnown = typeof alg === 'string' && ASYMMETRIC_ALGORITHMS.includes(alg)
  if (!isKnown || !isType(typ)) {
    return null
  }
  for (const key of keys.filter((candidate) => mayFit(candidate, kid, alg))) {
    if (await isSignedBy(key, alg, assertion)) {
      return decodeJwt(assertion)
    }
  }
  return null
}

export function readHeader(assertion: string) {
  try {
    return decodeProtectedHeader(assertion)
  } catch {
    return {}
  }
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/** Whether an instant is none, or later than the clocks explain. */
export function isFuture(instant: unknown, now: number): boolean {
  return !isNumber(instant) || instant > now + LEEWAY
}

/** Whether a `jti` can be remembered. */
export function isTokenId(jti: unknown): jti is string {
  return typeof jti === 'string' && jti !== '' && jti.length <= MAX_JTI_LENGTH
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
