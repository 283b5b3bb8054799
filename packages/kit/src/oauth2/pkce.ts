import { hash } from 'node:crypto'

import { safeEqual } from '@adonisjs/core/helpers'

import { InvalidGrant } from '#auth/errors'
import type { PkceMethod } from '#oauth2/define_config'
import { assertRequest } from '#oauth2/parameters'
import type { AuthorizationCodeRecord } from '#oauth2/tokens/token_store'
import { assertOr } from '#process/assert_or'

/** SHA-256 in base64url: a challenge (RFC 7636 §4.2), or the thumbprint of a key (RFC 7638). */
export const SHA256 = /^[A-Za-z0-9_-]{43}$/

/** RFC 7636 §4.1: 43 to 128 unreserved characters. A `plain` challenge is a verifier. */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/

/** As codes keep it; null for none. */
export type PkceChallenge = Pick<AuthorizationCodeRecord, 'codeChallenge' | 'codeChallengeMethod'>

/** The challenge of a request (RFC 7636 §4.3). @throws {InvalidRequest} */
export function readChallenge(
  challenge: string | null,
  method: string | null,
  rules: { methods: PkceMethod[]; required: boolean }
): PkceChallenge {
  if (challenge === null) {
    assertRequest(!rules.required, 'The parameter code_challenge is missing.')
    assertRequest(method === null, 'The code_challenge_method came without a code_challenge.')
    return { codeChallenge: null, codeChallengeMethod: null }
  }

  const named = (method ?? 'plain').toLowerCase()
  const accepted = rules.methods.find((candidate) => candidate.toLowerCase() === named)
  assertRequest(accepted, 'The code_challenge_method is not accepted.')
  const form = accepted === 'S256' ? SHA256 : VERIFIER
  assertRequest(form.test(challenge), 'The code_challenge is malformed.')
  return { codeChallenge: challenge, codeChallengeMethod: accepted }
}

/** Proves that who redeems a code has asked for it (RFC 7636 §4.6). @throws {InvalidGrant} */
export function verifyChallenge(
  { codeChallenge, codeChallengeMethod: method }: PkceChallenge,
  verifier: string | null
): void {
  if (codeChallenge === null && verifier === null) {
    return
  }
  /* A sign of a downgrade (RFC 9700 §2.1.1). */
  const hasChallenge = codeChallenge !== null
  assertOr(hasChallenge, InvalidGrant, 'The code_verifier belongs to no code_challenge.')
  assertOr(verifier !== null, InvalidGrant, 'The parameter code_verifier is missing.')
  assertOr(VERIFIER.test(verifier), InvalidGrant, 'The code_verifier is malformed.')
  const derived = method === 'S256' ? hash('sha256', verifier, 'base64url') : verifier
  const isRight = safeEqual(derived, codeChallenge)
  assertOr(isRight, InvalidGrant, 'The code_verifier does not match the code_challenge.')
}
