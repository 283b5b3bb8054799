import type { HttpContext } from '@adonisjs/core/http'

import type { AuthManager } from '#auth/manager'
import type { Credentials } from '#auth/user_providers/user_provider'
import type { Users } from '#auth/users'

/**
 * The active user whose username and password match the credentials, or null.
 * Every way to sign in with a password passes here, so that failures count
 * against the username and the address of the caller.
 *
 * @throws {Throttled} when too many attempts have failed
 */
export async function verifyLogin<User>(
  manager: Pick<AuthManager, 'feature'>,
  users: Users<User>,
  credentials: Credentials,
  ctx: HttpContext
): Promise<User | null> {
  const throttle = manager.feature('throttle')
  const verify = () => users.verify(credentials)
  const username = String(credentials[users.usernameKey] ?? '').toLowerCase()
  return throttle ? throttle.guard('failedLogins', username, ctx, verify) : verify()
}
