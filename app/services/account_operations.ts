import app from '@adonisjs/core/services/app'

import type User from '#models/user'
import { revokeTokens } from '#services/token_operations'

/** Ends every session of a person; returns how many there were. */
export async function endSessions(user: User): Promise<number> {
  const manager = await app.container.make('auth_manager')
  return (await manager.feature('sessions')?.destroyAllOf(user, manager.usersOf())) ?? 0
}

/** Ends every session and every token of a person. */
export async function endEverything(user: User): Promise<void> {
  await revokeTokens(user)
  await endSessions(user)
}
