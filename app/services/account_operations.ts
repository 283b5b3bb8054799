import app from '@adonisjs/core/services/app'

import { ApiToken } from '#api_token/facade'
import type User from '#models/user'
import { AuthorizationServer } from '#oauth2/authorization_server'

/** Ends every session of a person; returns how many there were. */
export async function endSessions(user: User): Promise<number> {
  const manager = await app.container.make('auth_manager')
  return (await manager.feature('sessions')?.destroyAllOf(user, manager.usersOf())) ?? 0
}

/** Ends every session and every token of a person. */
export async function endEverything(user: User): Promise<void> {
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
  await endSessions(user)
}
