import type { HttpContext } from '@adonisjs/core/http'

import { isExpired } from '#database/expiry'

/** What a challenge is for. An answer to one purpose counts for no other. */
export type ChallengePurpose = 'register' | 'login' | 'confirm'

interface Challenge {
  purpose: ChallengePurpose
  challenge: string
  /** Epoch milliseconds. */
  expiresAt: number
}

/** Value of the session with the challenges that were not answered yet. */
const KEY = 'passkey_challenges'

/** Milliseconds. The sign-in page waits for a passkey as long as it is open. */
export const CHALLENGE_LIFETIME = 30 * 60 * 1000

/** People have several tabs open; more are forgotten. */
const MAX_CHALLENGES = 5

/** Keeps a challenge in the session that asked for it: no other session can answer it. */
export function keepChallenge(
  { session }: HttpContext,
  purpose: ChallengePurpose,
  challenge: string
) {
  const added = { purpose, challenge, expiresAt: Date.now() + CHALLENGE_LIFETIME }
  session.put(KEY, [...liveOnes(session), added].slice(-MAX_CHALLENGES))
}

/** Takes a challenge out of the session; false when it has none like it. */
export function takeChallenge(
  { session }: HttpContext,
  purpose: ChallengePurpose,
  challenge: string
): boolean {
  const challenges = liveOnes(session)
  const others = challenges.filter((other) => other.challenge !== challenge)
  const found = challenges.some((one) => one.challenge === challenge && one.purpose === purpose)
  session.put(KEY, others)
  return found
}

function liveOnes(session: HttpContext['session']): Challenge[] {
  const kept: Challenge[] = session.get(KEY, [])
  return kept.filter(({ expiresAt }) => !isExpired(expiresAt))
}
