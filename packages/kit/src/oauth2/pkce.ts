import { createHash } from 'node:crypto'

import { safeEqual } from '@adonisjs/core/helpers'

import { InvalidGrant } from '#auth/errors'
import type { PkceMethod } from '#oauth2/define_config'
import { assertRequest } from '#oauth2/parameters'

/** SHA-256 in base64url: a challenge (RFC 7636 §4.2), or the thumbprint of a key (RFC 7638). */
export const SHA256 = /^[A-Za-z0-9_-]{43}$/

/** RFC 7636 §4.1: 43 to 128 unreserved characters. A `plain` challenge is a verifier. */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/

export interface PkceChallenge {
  challenge: string
  method: PkceMethod
}

/** The challenge of a request (RFC 7636 §4.3); null without one. @throws {InvalidRequest} */
export function readChallenge(
  challenge: string | null,
  method: string | null,
  rules: { methods: PkceMethod[]; required: boolean }
): PkceChallenge | null {
  if (challenge === null) {
    assertRequest(!rules.required, 'The parameter code_challenge is missing.')
    assertRequest(method === null, 'The code_challenge_method came without a code_challenge.')
    return null
  }

  const named = (method ?? 'plain').toLowerCase()
  const accepted = rules.methods.find((candidate) => candidate.toLowerCase() === named)
  assertRequest(accepted, 'The code_challenge_method is not accepted.')
  const form = accepted === 'S256' ? SHA256 : VERIFIER
  assertRequest(form.test(challenge), 'The code_challenge is malformed.')
  return { challenge, method: accepted }
}

/** Proves that who redeems a code has asked for it (RFC 7636 §4.6). @throws {InvalidGrant} */
export function verifyChallenge(stored: PkceChallenge | null, verifier: string | null): void {
  if (!stored && verifier === null) {
    return
  }
  if (!stored) {
    /* A sign of a downgrade (RFC 9700 §2.1.1). */
    throw new InvalidGrant('The code_verifier belongs to no code_challenge.')
  }
  if (verifier === null) {
    throw new InvalidGrant('The parameter code_verifier is missing.')
  }
  if (!VERIFIER.test(verifier)) {
    throw new InvalidGrant('The code_verifier is malformed.')
  }
  const derived =
    stored.method === 'S256' ? createHash('sha256').update(verifier).digest('base64url') : verifier
  if (!safeEqual(derived, stored.challenge)) {
    throw new InvalidGrant('The code_verifier does not match the code_challenge.')
  }
}
