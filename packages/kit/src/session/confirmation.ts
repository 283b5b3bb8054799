import type { HttpContext } from '@adonisjs/core/http'

import { ConfirmationRequired } from '#auth/errors'
import type { GuardName } from '#auth/guard_types'
import { authContext, currentUser } from '#auth/protection'
import { isExpired } from '#database/records'
import { assertOr } from '#process/assert_or'
import { RequestSession } from '#session/request_session'
import type { SessionService } from '#session/session_service'

/**
 * Requires a user who signed in or confirmed within the last `confirmationTtl` seconds, in this very session: no token.
 * @throws {Unauthenticated} 401 unless a user is authenticated
 * @throws {ConfirmationRequired} 403 when the confirmation is missing or too old
 */
export async function requireConfirmation(ctx: HttpContext, { config, manager }: SessionService) {
  const user = await currentUser(ctx)
  const session = RequestSession.existing(ctx)
  const confirmedAt = session?.confirmedAt ?? null
  const { userId, guard } = session?.live?.record ?? {}

  const isOwn = Boolean(userId && guard && manager.usersOf(guard).identify(user) === userId)
  const isFresh = confirmedAt !== null && !isExpired(confirmedAt + config.confirmationTtl * 1000)
  assertOr(isOwn && isFresh, ConfirmationRequired)
}

/** The same for callers with a session. Callers with a token pass: their scopes decide what they may create. */
export async function requireConfirmationOfSession(ctx: HttpContext, sessions: SessionService) {
  const context = await authContext(ctx)
  const { guard } = RequestSession.existing(ctx)?.live?.record ?? {}
  const isSession = guard && sessions.manager.guardDriver(guard) === 'session'
  /* In SPA mode a token guard may have used a session. */
  if (isSession && (await ctx.authenticator.peek(guard as GuardName)) === context) {
    await requireConfirmation(ctx, sessions)
  }
}
