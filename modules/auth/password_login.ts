import type { HttpContext } from '@adonisjs/core/http'

import type { Features } from '#auth/features'
import type { Credentials } from '#auth/user_providers/user_provider'
import type { Users } from '#auth/users'

const ACTION = 'failedLogins'

/**
 * The active user whose username and password match the credentials, or null.
 * Every check of a password passes here, so that failures count against the
 * username and the caller's address.
 *
 * @throws {Throttled} when too many attempts have failed
 */
export async function verifyLogin<User>(
  features: Pick<Features, 'feature'>,
  users: Users<User>,
  credentials: Credentials,
  ctx: HttpContext
): Promise<User | null> {
  const throttle = features.feature('throttle')
  const verify = () => users.verify(credentials)
  return throttle ? throttle.attempt(ACTION, subjectOf(users, credentials), ctx, verify) : verify()
}

/** Remembers the caller's device as one that has signed in with this username. */
export function trustDevice(
  features: Pick<Features, 'feature'>,
  users: Users,
  credentials: Credentials,
  ctx: HttpContext
): void {
  features.feature('throttle')?.trustDevice(ACTION, subjectOf(users, credentials), ctx)
}

/** Equal usernames of two user providers are different people. */
function subjectOf(users: Users, credentials: Credentials) {
  const username = String(credentials[users.usernameKey] ?? '').toLowerCase()
  return `${users.name}:${username}`
}
