import type { LoginOptions, LoginOrigin } from '#auth/guards/guard'
import type { Users } from '#auth/users'
import { isExpired } from '#database/expiry'
import type { RequestSession } from '#session/request_session'

/** Value of a guest's session with the login that waits for its next step. */
const KEY = 'pending_login'

/** Milliseconds. People have to find their telephone, and nobody else should find the session. */
const LIFETIME = 10 * 60 * 1000

/** A login of a user whose password was right. */
export interface Attempt<User> extends LoginOptions {
  user: User
  /** The username that was given with the password. */
  username: string
  methods: readonly string[]
}

/** A login that waits for its next step: the user is not signed in. */
export interface WaitingLogin<User> extends Attempt<User> {
  /** Names of the steps that were taken. */
  taken: string[]
  /** The end of the wait, in epoch milliseconds. Default: ten minutes from now. */
  expiresAt?: number
}

/** How it is kept. It is data of a guest's session: no guard recognises anybody by it. */
interface Stored {
  guard: string
  userId: string
  username: string
  taken: string[]
  methods: readonly string[]
  remember: boolean | null
  origin?: LoginOrigin
  /** Changes with the password, which ends the login. */
  stamp: string | null
  /** Epoch milliseconds. */
  expiresAt: number
}

export function keepPendingLogin<User>(
  session: RequestSession,
  guard: string,
  users: Users<User>,
  { user, username, taken, methods, remember, origin, expiresAt }: WaitingLogin<User>
): void {
  const stored: Stored = {
    ...{ guard, username, taken, methods, origin },
    userId: users.identify(user),
    remember: remember ?? null,
    stamp: users.passwordStamp(user),
    expiresAt: expiresAt ?? Date.now() + LIFETIME,
  }
  session.put(KEY, JSON.stringify(stored))
}

export function forgetPendingLogin(session: RequestSession): void {
  session.forget(KEY)
}

/**
 * The login of this guard that is not complete; null when there is none, when it
 * took too long, when its user is gone or inactive, and when their password has
 * been changed since.
 */
export async function findPendingLogin<User>(
  session: RequestSession | null,
  guard: string,
  users: Users<User>
): Promise<WaitingLogin<User> | null> {
  const text = session?.get(KEY, null)
  const stored: Stored | null = typeof text === 'string' ? JSON.parse(text) : null
  if (!stored || stored.guard !== guard || isExpired(stored.expiresAt)) {
    return null
  }
  const user = await users.findActive(stored.userId)
  if (!user || users.passwordStamp(user) !== stored.stamp) {
    return null
  }
  const { username, taken, methods, remember, origin, expiresAt } = stored
  return { user, username, taken, methods, remember: remember ?? undefined, origin, expiresAt }
}
