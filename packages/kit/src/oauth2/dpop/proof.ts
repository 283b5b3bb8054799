import { createHash } from 'node:crypto'

import { type JWK, EmbeddedJWK, calculateJwkThumbprint, compactVerify } from 'jose'

import { DPOP_ALGORITHMS } from '#oauth2/dpop/config'

/** Longer than any proof with an RSA key. */
const MAX_LENGTH = 8192

/** Members of a JWK that are private or symmetric key material (RFC 7518 §6). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** A proof whose signature is right (RFC 9449 §4.2). Its claims are the reader's to judge. */
export interface Proof {
  /** SHA-256 thumbprint of its key (RFC 7638). */
  jkt: string
  jti: string
  htm: unknown
  htu: unknown
  /** Epoch seconds. */
  iat: number
  ath: unknown
  nonce: unknown
}

/** A proof is refused for a reason that operators may know. */
export class BadProof extends Error {}

/**
 * Reads a proof and verifies its signature by its own key (RFC 9449 §4.3, 2 to 7).
 *
 * @throws {BadProof} when it is not well-formed, or its signature is wrong
 */
export async function readProof(text: string): Promise<Proof> {
  if (text.length > MAX_LENGTH) {
    throw new BadProof('too long')
  }
  const { header, claims } = await verify(text)
  const jwk = header.jwk as JWK
  if (header.typ !== 'dpop+jwt') {
    throw new BadProof('typ is not dpop+jwt')
  }
  if (PRIVATE_MEMBERS.some((name) => name in jwk)) {
    throw new BadProof('private key in it')
  }
  const { jti, htm, htu, iat, ath, nonce } = claims
  if (typeof jti !== 'string' || jti === '' || typeof iat !== 'number') {
    throw new BadProof('jti or iat missing')
  }
  return { jkt: await calculateJwkThumbprint(jwk), jti, htm, htu, iat, ath, nonce }
}

async function verify(text: string) {
  try {
    const { protectedHeader: header, payload } = await compactVerify(text, EmbeddedJWK, {
      algorithms: DPOP_ALGORITHMS,
    })
    const claims: unknown = JSON.parse(Buffer.from(payload).toString())
    if (typeof claims === 'object' && claims !== null) {
      return { header, claims: claims as Record<string, unknown> }
    }
  } catch {
    /* Not a signed JWT with a key that is public and of an accepted algorithm. */
  }
  throw new BadProof('malformed, or signature wrong')
}

/** What a proof for a resource says about the access token (RFC 9449 §4.2). */
export function hashOf(accessToken: string): string {
  return createHash('sha256').update(accessToken).digest('base64url')
}
