import type User from '#models/user'
import { endSessions } from '#services/account_sessions'
import { revokeTokens } from '#services/token_operations'

/** Ends everything that acts for a person: every session and every token. */
export async function endEverything(user: User): Promise<void> {
  await revokeTokens(user)
  await endSessions(user)
}
