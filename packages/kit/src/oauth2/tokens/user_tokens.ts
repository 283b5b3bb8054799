import { isExpired } from '#database/expiry'
import type { Services } from '#oauth2/authorization_server'
import type { AccessTokenRecord, UserKey } from '#oauth2/tokens/token_store'

/** Epoch seconds, as tokens count. */
export const toSeconds = (instant: number) => Math.floor(instant / 1000)

/** Whether an access token is neither revoked nor expired. */
export function isActive(record: AccessTokenRecord): boolean {
  return record.revokedAt === null && !isExpired(record.expiresAt)
}

/** What the clients of a user hold: `/oauth/tokens`. */
export class UserTokens {
  constructor(protected services: Services<'tokens' | 'clients' | 'announce'>) {}

  /** The user's access tokens, newest first, personal ones excepted. Times are epoch seconds. */
  async list(user: UserKey) {
    const { tokens, clients } = this.services
    const records = await tokens.listAccessTokens(user, { personal: false })
    const names = await clients.names(records.flatMap(({ clientId }) => clientId ?? []))

    return records.map((record) => ({
      jti: record.jti,
      client_id: record.clientId,
      client_name: record.clientId === null ? null : (names.get(record.clientId) ?? null),
      scopes: record.scopes,
      created_at: toSeconds(record.createdAt),
      expires_at: toSeconds(record.expiresAt),
      active: isActive(record),
    }))
  }

  /**
   * Revokes one token with its refresh chain; one that is unknown, personal or
   * another's is left alone. The client gets no other before the user is asked again.
   */
  async revoke(user: UserKey, jti: string): Promise<void> {
    const { tokens, announce } = this.services
    const found = await tokens.findAccessToken(jti)
    const record = found?.record
    if (!record || record.name !== null || !isOwnedBy(record, user)) {
      return
    }
    if (record.grantId !== null) {
      await tokens.grants.forget(record.grantId)
    }
    await tokens.revokeAccessToken(jti, Date.now())
    announce('oauth2:token_revoked', { jti, clientId: record.clientId, userId: user.userId })
  }

  /** Revokes all of them, each with its refresh chain, codes that were not redeemed yet, and what clients were allowed. */
  async revokeAll(user: UserKey): Promise<void> {
    const { tokens, announce } = this.services
    await tokens.revokeAll(user, Date.now())
    announce('oauth2:token_revoked', { jti: null, clientId: null, userId: user.userId })
  }
}

export function isOwnedBy(record: AccessTokenRecord, { userId, provider }: UserKey): boolean {
  return record.userId === userId && record.provider === provider
}
