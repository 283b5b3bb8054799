import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { recordSecurityEvent } from 'adonis-auth-kit/auth/security_events'
import type User from '#models/user'
import { endEverything } from '#services/account_operations'

/**
 * Deletes a person's account with everything they wrote. Sessions and tokens go
 * first, so that nothing of the account works any more when it is gone.
 */
export async function deleteAccount(ctx: HttpContext, user: User): Promise<void> {
  const manager = await app.container.make('auth_manager')
  const users = manager.usersOf()

  await endEverything(user)
  await manager.feature('twoFactor')?.forget(user, users)
  await manager.feature('passkeys')?.forget(user, users)
  await manager.feature('social')?.forget(user, users)
  await manager.feature('sessions')?.invalidate(ctx)
  await manager.feature('workspaces')?.forget(user, users)
  await manager.feature('securityLog')?.forget(user, users)
  await user.delete()
  await recordSecurityEvent(ctx, user, 'account_deleted', {}, users)
}
