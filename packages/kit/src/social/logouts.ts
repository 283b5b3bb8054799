import type { HttpContext } from '@adonisjs/core/http'

import { TemporarilyUnavailable } from '#auth/errors'
import { recordSecurityEvent } from '#auth/security_events'
import { isOutage, logFailure } from '#social/failures'
import type { Identities } from '#social/identities'
import type { LogoutToken } from '#social/providers/logout_token'
import type { SocialServices } from '#social/types'

/** What providers tell of people who signed out there (OpenID Connect Back-Channel Logout 1.0). */
export class Logouts {
  constructor(
    protected readonly services: SocialServices,
    protected readonly identities: Identities
  ) {}

  /**
   * Ends the sessions that a logout token of a provider names.
   * @returns false for a token that is invalid or used; null when no such provider tells of logouts
   * @throws {TemporarilyUnavailable} when the keys of the provider cannot be read
   */
  async hear(ctx: HttpContext, name: string, token: unknown): Promise<boolean | null> {
    const provider = await this.identities.provider(name)
    if (!provider?.readLogoutToken) {
      return null
    }
    let said: LogoutToken
    try {
      said = await provider.readLogoutToken(String(token))
    } catch (error) {
      logFailure(ctx, name, error, 'A logout token of a provider was refused')
      if (isOutage(error)) {
        throw new TemporarilyUnavailable(30, 'The keys of the provider cannot be read.')
      }
      return false
    }
    /* Used up last: when the sessions could not be ended, the provider sends the token again. */
    const { used } = this.services.store
    const key = `${said.issuer} ${said.jti}`
    if (await used.isUsed('logout_token', key)) {
      return false
    }
    await this.#end(ctx, provider.label, said)
    return used.use('logout_token', key, said.expiresAt)
  }

  async #end(ctx: HttpContext, label: string, said: LogoutToken): Promise<void> {
    const { manager } = this.services
    const ended = (await manager.feature('sessions')?.destroyFrom(said)) ?? []
    const ofPeople = ended.filter(({ userId }) => userId !== null)
    for (const [guard, sessions] of Map.groupBy(ofPeople, (session) => session.guard)) {
      const users = manager.usersOf(guard ?? undefined)
      const people = await users.findAll([...new Set(sessions.map(({ userId }) => userId!))])
      for (const user of people.values()) {
        await recordSecurityEvent(ctx, user, 'identity_signed_out', { name: label }, users)
      }
    }
  }
}
