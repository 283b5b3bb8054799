import type { GuardName } from '#auth/authenticators'
import type { Confirmations } from '#auth/features'
import { authContext } from '#auth/protection'
import { requireConfirmation } from '#session/confirmation'
import type { SessionService } from '#session/session_service'

/** The rule over the sessions of the application. */
export function confirmations(sessions: SessionService): Confirmations {
  const { manager } = sessions
  return {
    async requireOfSession(ctx) {
      const context = await authContext(ctx)
      for (const name of manager.guardNames) {
        /* In SPA mode a token guard answers with what a session guard has found. */
        const isSession = manager.guardDriver(name) === 'session'
        if (isSession && (await ctx.authenticator.peek(name as GuardName)) === context) {
          return requireConfirmation(ctx, sessions)
        }
      }
    },
  }
}
