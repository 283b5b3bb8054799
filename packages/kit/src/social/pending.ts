import { safeEqual } from '@adonisjs/core/helpers'
import type { HttpContext } from '@adonisjs/core/http'

import { pendingByName, pendingOne } from '#http/pending'
import { generateSecret, hashSecret } from '#security/secrets'
import type { Purpose, SocialProfile } from '#social/types'

/** A sign-in that a browser has begun at a provider. Instants are epoch milliseconds. */
export interface Attempt {
  /** Name of the provider: an answer of another one is refused (mix-up, RFC 9700 §4.4). */
  name: string
  purpose: Purpose
  /** The user who confirms or links; null to sign in. */
  userId: string | null
  nonce: string
  verifier: string
  remember: boolean
  startedAt: number
  expiresAt: number
}

/** By the hashes of their states. */
const attempts = pendingByName<Attempt>('social_attempts')

/** Milliseconds. People have to sign in, maybe to register, at the provider. */
const LIFETIME = 15 * 60 * 1000

/** Keeps an attempt in the session of the browser that began it: an answer in another browser finds none. */
export function keepAttempt(
  ctx: HttpContext,
  state: string,
  attempt: Omit<Attempt, 'startedAt' | 'expiresAt'>
): Attempt {
  const now = Date.now()
  const kept = { ...attempt, startedAt: now, expiresAt: now + LIFETIME }
  attempts.keep(ctx, hashSecret(state), kept)
  return kept
}

/** Takes the attempt with this state out of the session; null when it has none. */
export function takeAttempt(ctx: HttpContext, state: string) {
  const key = hashSecret(state)
  const found = attempts.take(ctx, key)
  return found ? { ...found, key } : null
}

/** An identity that waits in the browser of its person. Instants are epoch milliseconds. */
export interface PendingIdentity extends Pick<
  SocialProfile,
  'issuer' | 'subject' | 'sid' | 'fullName'
> {
  name: string
  email: string
  methods: string[]
  mfa: boolean
  remember: boolean
  createdAt: number
  expiresAt: number
}

/** One that waits for the owner of an account. */
export const joins = pendingOne<PendingIdentity & { userId: string }>('social_join')

const addresses = pendingOne<PendingIdentity & { secret: string }>('social_address')

/** Keeps an identity until its address is verified, and returns the secret that is sent to the address. */
export function keepAddress(ctx: HttpContext, identity: PendingIdentity): string {
  const secret = generateSecret()
  addresses.keep(ctx, { ...identity, secret: hashSecret(secret) })
  return secret
}

/** Takes the identity with this secret out of the session; null when it has none. */
export function takeAddress(ctx: HttpContext, secret: string): PendingIdentity | null {
  const found = addresses.find(ctx)
  if (!found || !safeEqual(found.secret, hashSecret(secret))) {
    return null
  }
  addresses.forget(ctx)
  return found
}
