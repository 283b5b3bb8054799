import { safeEqual } from '@adonisjs/core/helpers'
import type { HttpContext } from '@adonisjs/core/http'

import { isExpired } from '#database/expiry'
import { generateSecret, hashSecret } from '#security/secrets'

/** An identity that waits in the browser of its person. Instants are epoch milliseconds. */
export interface PendingIdentity {
  name: string
  issuer: string
  subject: string
  sid: string | null
  email: string
  fullName: string | null
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
