import { type JWK, compactVerify, decodeJwt, decodeProtectedHeader, importJWK } from 'jose'

import { ASYMMETRIC_ALGORITHMS } from '#oauth2/keys/signing_key'

export type Claims = Record<string, unknown>

/** Seconds that the clock of whoever signed may be ahead. */
const LEEWAY = 60

/** Seconds that an assertion may live at most, because it is remembered for as long (RFC 7523 §3, 4). */
export const MAX_LIFETIME = 3600

const MAX_JTI_LENGTH = 255

/**
 * The claims, when one of the keys has signed them; an HMAC is no signature (RFC 8725 §2.1).
 * @param type the `typ`, which is `JWT` unless it is there: a token of another kind must not pass (RFC 8725 §3.11)
 */
export async function verifyBy(keys: JWK[], assertion: string, type: RegExp) {
  const { kid, alg, typ = 'JWT' } = readHeader(assertion)
  const isType = typeof typ === 'string' && type.test(typ)
  if (typeof alg !== 'string' || !ASYMMETRIC_ALGORITHMS.includes(alg) || !isType) {
    return null
  }
  for (const key of keys.filter((candidate) => mayFit(candidate, kid, alg))) {
    if (await isSignedBy(key, alg, assertion)) {
      return decodeJwt(assertion)
    }
  }
  return null
}

/** Nothing is verified; empty when the assertion is malformed. */
function unverified<Part extends object>(decode: (assertion: string) => Part) {
  return (assertion: string): Partial<Part> => {
    try {
      return decode(assertion)
    } catch {
      return {}
    }
  }
}

export const readHeader = unverified(decodeProtectedHeader)
export const claimsOf = unverified(decodeJwt)

/** The first claim that is missing or wrong. No leeway after `exp`: until then an assertion is remembered. */
export function findWrong(claims: Claims, rules: Record<string, boolean>): string | null {
  const now = Date.now() / 1000
  const { exp, nbf = 0, iat = 0, jti } = claims
  const general = {
    exp: isNumber(exp) && exp > now && exp <= now + MAX_LIFETIME + LEEWAY,
    nbf: isNumber(nbf) && nbf <= now + LEEWAY,
    iat: isNumber(iat) && iat <= now + LEEWAY,
    jti: typeof jti === 'string' && jti !== '' && jti.length <= MAX_JTI_LENGTH,
  }
  const all = [...Object.entries(general), ...Object.entries(rules)]
  return all.find(([, isRight]) => !isRight)?.[0] ?? null
}

export const isNumber = (value: unknown): value is number => Number.isFinite(value)

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
