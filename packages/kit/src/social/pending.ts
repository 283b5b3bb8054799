import { safeEqual } from '@adonisjs/core/helpers'
import type { HttpContext } from '@adonisjs/core/http'

import { isExpired } from '#database/records'
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

/** Value of the session with the attempts by the hashes of their states. */
const KEY = 'social_attempts'

/** Milliseconds. People have to sign in, maybe to register, at the provider. */
const LIFETIME = 15 * 60 * 1000

/** People have several tabs open; older attempts are forgotten. */
const MAX_ATTEMPTS = 5

/** Keeps an attempt in the session of the browser that began it: an answer in another browser finds none. */
export function keepAttempt(
  { session }: HttpContext,
  state: string,
  attempt: Omit<Attempt, 'startedAt' | 'expiresAt'>
): Attempt {
  const now = Date.now()
  const kept = { ...attempt, startedAt: now, expiresAt: now + LIFETIME }
  const others = Object.entries(liveOnes(session)).slice(1 - MAX_ATTEMPTS)
  session.put(KEY, Object.fromEntries([...others, [hashSecret(state), kept]]))
  return kept
}

/** Takes the attempt with this state out of the session; null when it has none. */
export function takeAttempt({ session }: HttpContext, state: string) {
  const key = hashSecret(state)
  const { [key]: found, ...others } = liveOnes(session)
  session.put(KEY, others)
  return found ? { ...found, key } : null
}

function liveOnes(session: HttpContext['session']): Record<string, Attempt> {
  const kept: Record<string, Attempt> = session.get(KEY, {})
  return Object.fromEntries(Object.entries(kept).filter(([, one]) => !isExpired(one.expiresAt)))
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
export interface PendingJoin extends PendingIdentity {
  userId: string
}

/** Values of the session. One of each is enough: a newer one replaces it. */
const JOIN = 'social_join'
const ADDRESS = 'social_address'

export function keepJoin({ session }: HttpContext, join: PendingJoin): void {
  session.put(JOIN, JSON.stringify(join))
}

export function findJoin({ session }: HttpContext): PendingJoin | null {
  return read(session.get(JOIN, null))
}

export function forgetJoin({ session }: HttpContext): void {
  session.forget(JOIN)
}

/** Keeps an identity until its address is verified, and returns the secret that is sent to the address. */
export function keepAddress({ session }: HttpContext, identity: PendingIdentity): string {
  const secret = generateSecret()
  session.put(ADDRESS, JSON.stringify({ ...identity, secret: hashSecret(secret) }))
  return secret
}

/** Takes the identity with this secret out of the session; null when it has none. */
export function takeAddress({ session }: HttpContext, secret: string): PendingIdentity | null {
  const found = read<PendingIdentity & { secret: string }>(session.get(ADDRESS, null))
  if (!found || !safeEqual(found.secret, hashSecret(secret))) {
    return null
  }
  session.forget(ADDRESS)
  return found
}

/** Text, because a session stores its changes path by path, and this is one thing. */
function read<Pending extends PendingIdentity>(text: unknown): Pending | null {
  const found: Pending | null = typeof text === 'string' ? JSON.parse(text) : null
  return found && !isExpired(found.expiresAt) ? found : null
}
