import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import type { LucidRow } from '@adonisjs/lucid/types/model'

import { revokeTokens } from '#accounts/tokens'
import type { UserOf } from '#auth/guard_types'
import { recordSecurityEvent } from '#auth/security_events'

/** Ends every session of a person; returns how many there were. */
export async function endSessions(user: UserOf): Promise<number> {
  const manager = await app.container.make('auth_manager')
  return (await manager.feature('sessions')?.destroyAllOf(user, manager.usersOf())) ?? 0
}

/** Ends every session and every token of a person. */
export async function endEverything(user: UserOf): Promise<void> {
  await revokeTokens(user)
  await endSessions(user)
}

/** Deletes a person's account with everything they wrote. Sessions and tokens go first. */
export async function deleteAccount(ctx: HttpContext, user: UserOf & LucidRow): Promise<void> {
  const manager = await app.container.make('auth_manager')
  const users = manager.usersOf()

  await endEverything(user)
  await manager.feature('twoFactor')?.forget(user, users)
  await manager.feature('passkeys')?.forget(user, users)
  await manager.feature('social')?.identities.forget(user, users)
  await manager.feature('sessions')?.invalidate(ctx)
  await manager.feature('workspaces')?.forget(user, users)
  await manager.feature('securityLog')?.forget(user, users)
  await user.delete()
  await recordSecurityEvent(ctx, user, 'account_deleted', {}, users)
}
