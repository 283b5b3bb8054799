import type { HttpContext } from '@adonisjs/core/http'

import { findKnownDevice, rememberDevice } from '#auth/known_device'
import type { Features } from '#auth/features'
import { type SecurityEventLog, recordSecurityEvent } from '#auth/security_events'
import type { Users } from '#auth/users'

const ACTION = 'signIns'

/**
 * Records a sign-in, and whether it comes from a new device. The first sign-in
 * that the log knows of is none: everybody has a first device.
 */
export async function recordSignIn(
  features: Pick<Features, 'feature'>,
  users: Users,
  user: unknown,
  ctx: HttpContext
): Promise<void> {
  const log = features.feature('securityLog')
  if (!log) {
    return recordSecurityEvent(ctx, user, 'signed_in', {}, users)
  }
  const subject = `${users.name}:${users.identify(user)}`
  const stamps = () => users.passwordStamps(user)
  const isKnown = (await findKnownDevice(ACTION, subject, ctx, stamps)) !== null
  rememberDevice(ACTION, subject, ctx, users.passwordStamp(user))
  const isNew = !isKnown && (await hasSignedIn(log, user, users, ctx))
  await recordSecurityEvent(ctx, user, isNew ? 'new_device' : 'signed_in', {}, users)
}

/** A log that cannot be read refuses nobody. */
async function hasSignedIn(log: SecurityEventLog, user: unknown, users: Users, ctx: HttpContext) {
  try {
    return await log.hasSignIns(user, users)
  } catch (error) {
    ctx.logger.error({ err: error }, 'Cannot read the security log')
    return false
  }
}
