import app from '@adonisjs/core/services/app'

import type User from '#models/user'

/** Ends every session of a person; returns how many there were. */
export async function endSessions(user: User): Promise<number> {
  const manager = await app.container.make('auth_manager')
  return (await manager.feature('sessions')?.destroyAllOf(user, manager.usersOf())) ?? 0
}
