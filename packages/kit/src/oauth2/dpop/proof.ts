import { type JWK, EmbeddedJWK, calculateJwkThumbprint, compactVerify } from 'jose'

import { hasPrivateMembers } from '#oauth2/clients/assertions/public_keys'
import { assertOr } from '#process/assert_or'
import { isObject } from '#process/objects'

/** Signature algorithms of proofs: asymmetric ones alone (RFC 9449 §4.2). */
export const DPOP_ALGORITHMS = ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256']

/** Characters; longer than any proof with an RSA key. */
const MAX_LENGTH = 8192

/** A proof is refused for a reason that operators may know. */
export class BadProof extends Error {
  constructor(
    message: string,
    /** RFC 9449 §5, and §8: the answer has a fresh nonce. */
    readonly code: 'invalid_dpop_proof' | 'use_dpop_nonce' = 'invalid_dpop_proof'
  ) {
    super(message)
  }

  get reason() {
    return `DPoP proof: ${this.message}`
  }
}

export function assertProof(problem: string, isRight: boolean) {
  assertOr(isRight, BadProof, problem)
}

/** Reads a proof, verified by its own key (RFC 9449 §4.3, 2 to 7). @throws {BadProof} */
export async function readProof(text: string) {
  assertProof('too long', text.length <= MAX_LENGTH)
  const { header, claims } = await verify(text)
  const jwk = header.jwk as JWK
  assertProof('typ is not dpop+jwt', header.typ === 'dpop+jwt')
  assertProof('private key in it', !hasPrivateMembers(jwk))
  const { jti, iat, exp, nbf, htm, htu, ath, nonce } = claims
  if (typeof jti !== 'string' || jti === '' || typeof iat !== 'number') {
    throw new BadProof('jti or iat missing')
  }
  return { jkt: await calculateJwkThumbprint(jwk), jti, iat, exp, nbf, htm, htu, ath, nonce }
}

async function verify(text: string) {
  try {
    const { protectedHeader: header, payload } = await compactVerify(text, EmbeddedJWK, {
      algorithms: DPOP_ALGORITHMS,
    })
    const claims: unknown = JSON.parse(Buffer.from(payload).toString())
    if (isObject(claims)) {
      return { header, claims }
    }
  } catch {
    /* Not a signed JWT with a key that is public and of an accepted algorithm. */
  }
  throw new BadProof('malformed, or signature wrong')
}
