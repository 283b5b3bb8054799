import type { HttpContext } from '@adonisjs/core/http'

import { authContext } from '#auth/protection'
import type { UserKey } from '#oauth2/tokens/token_store'

/**
 * The user whom the default guard recognises, as tokens know users.
 *
 * @throws {AuthError} 401 unless a user is authenticated
 */
export async function currentUserKey(ctx: HttpContext): Promise<UserKey> {
  const { user } = await authContext(ctx)
  const { users } = ctx.authenticator.use(ctx.authenticator.defaultGuard)
  return { userId: users.identify(user), provider: users.name }
}
