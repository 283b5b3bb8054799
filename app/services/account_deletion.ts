import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { ApiToken } from '#api_token/facade'
import type User from '#models/user'
import { AuthorizationServer } from '#oauth2/authorization_server'

/**
 * Deletes a person's account with everything they wrote. Sessions and tokens go
 * first, so that nothing of the account works any more when it is gone.
 */
export async function deleteAccount(ctx: HttpContext, user: User): Promise<void> {
  const manager = await app.container.make('auth_manager')
  const users = manager.usersOf()
  const key = { userId: users.identify(user), provider: users.name }

  if (app.container.hasBinding(AuthorizationServer)) {
    const server = await app.container.make(AuthorizationServer)
    await server.userTokens.revokeAll(key)
    await server.personalAccessTokens.revokeAll(key)
  }
  if (manager.feature('apiTokens')) {
    await ApiToken.revokeAll(user)
  }
  await manager.feature('sessions')?.destroyAllOf(user, users)
  await manager.feature('sessions')?.invalidate(ctx)
  await user.delete()
}
