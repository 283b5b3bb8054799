import { type Owner, isOwnedBy } from '#auth/users'
import { isExpired, toSeconds } from '#database/records'
import { ServerPart } from '#oauth2/server_part'
import type { AccessTokenRecord, TokenStore } from '#oauth2/tokens/token_store'
import type { AuthContext } from '#auth/outcome'
import type { CredentialContext } from '#auth/credential_contexts'
import { InsufficientScope } from '#auth/errors'
import { tokenEvent } from '#oauth2/events'
import type { GrantedScope } from '#auth/scopes'
import { newAccessToken } from '#oauth2/tokens/token_issuer'

/** What the clients of a user hold: `/oauth/tokens`. */
export class UserTokens extends ServerPart {
  /** The user's access tokens, newest first, personal ones excepted. Times are epoch seconds. */
  async list(user: Owner) {
    const { tokens, clients } = this.server
    const records = await tokens.listAccessTokens(user, { personal: false })
    const known = await clients.findMany(records.flatMap(({ clientId }) => clientId ?? []))

    return records.map((record) => ({
      jti: record.jti,
      client_id: record.clientId,
      client_name: record.clientId === null ? null : (known.get(record.clientId)?.name ?? null),
      scopes: record.scopes,
      created_at: toSeconds(record.createdAt),
      expires_at: toSeconds(record.expiresAt),
      active: isActive(record),
    }))
  }

  /** Revokes one of them with its chain. The client gets no other before the user is asked again. */
  async revoke(user: Owner, jti: string): Promise<void> {
    const { tokens, announce } = this.server
    const record = await findOwn(tokens, user, jti)
    if (!record || record.name !== null) {
      return
    }
    record.grantId !== null && (await tokens.grants.forget(record.grantId))
    await tokens.revokeAccessToken(jti, Date.now())
    announce('oauth2:token_revoked', { jti, clientId: record.clientId, userId: user.userId })
  }

  /**
   * Revokes all of them with their refresh chains, open codes, and what clients were allowed.
   * @param hasEnded whether some of it has ended just before, so that the event tells of it
   */
  async revokeAll(user: Owner, hasEnded: boolean = false): Promise<void> {
    const { tokens, announce } = this.server
    const held = await tokens.listAccessTokens(user, { personal: false })
    await tokens.revokeAll(user, Date.now())
    if (hasEnded || held.some(isActive)) {
      announce('oauth2:token_revoked', { jti: null, clientId: null, userId: user.userId })
    }
  }
}

/** Access tokens that a user makes without a client, for scripts: `/oauth/personal-access-tokens`. */
export class PersonalAccessTokens extends ServerPart {
  /**
   * Creates one, which is shown this once.
   * @param context who asks: a token cannot make another that may do more
   * @throws {AccessDenied} when the user cannot choose the context any more
   * @throws {InvalidScope | InsufficientScope} for a scope that is unknown, or that the caller does not have
   */
  async create(
    user: Owner,
    context: AuthContext,
    options: {
      name: string
      scopes?: string[] | null
      ttl?: number | null
      context?: CredentialContext | null
    }
  ) {
    const { config, catalogue, tokens, accessTokens, contexts, announce } = this.server
    const scopes = catalogue.resolve(options.scopes ?? [], null)
    if (!context.canAll(...(scopes as GrantedScope[]))) {
      throw new InsufficientScope('A scope exceeds those of the caller.')
    }

    const { name, context: boundTo = null, ttl: wanted } = options
    const ttl = wanted ?? config.personalAccessTokenTtl
    const access = newAccessToken({ ...user, scopes, name, context: boundTo }, ttl)
    const accessToken = await accessTokens.sign(access)
    await tokens.insertTokens({ access, refresh: null })
    const { jti } = access
    await contexts.settle(user, boundTo, () => tokens.revokeAccessToken(jti, Date.now()))
    announce('oauth2:token_issued', { grantType: 'personal_access_token', ...tokenEvent(access) })
    return { jti, name, access_token: accessToken, scopes, expires_in: ttl }
  }

  /** The user's active ones, newest first. Times are epoch seconds; the last use is known to the minute. */
  async list(user: Owner) {
    const { tokens, contexts } = this.server
    const records = await tokens.listAccessTokens(user, { personal: true })
    const nameOf = await contexts.names(user)
    return records.filter(isActive).map((record) => ({
      jti: record.jti,
      name: record.name,
      scopes: record.scopes,
      context_name: nameOf(record.context),
      revoked: false,
      created_at: toSeconds(record.createdAt),
      expires_at: toSeconds(record.expiresAt),
      last_used_at: record.lastUsedAt === null ? null : toSeconds(record.lastUsedAt),
    }))
  }

  /** Revokes one of them and returns its name; null when it is none of them, or has ended before. */
  async revoke(user: Owner, jti: string): Promise<string | null> {
    const { tokens, announce } = this.server
    const record = await findOwn(tokens, user, jti)
    if (!record || record.name === null || !isActive(record)) {
      return null
    }
    const isFirst = await this.#revokesFirst(jti, record.expiresAt)
    await tokens.revokeAccessToken(jti, Date.now())
    announce('oauth2:token_revoked', { jti, clientId: null, userId: user.userId })
    return isFirst ? record.name : null
  }

  /** Revokes all of them, and returns how many this has ended. */
  async revokeAll(user: Owner): Promise<number> {
    const { tokens, announce } = this.server
    let count = 0
    for (const { jti, expires_at: expiresAt } of await this.list(user)) {
      count += Number(await this.#revokesFirst(jti, expiresAt * 1000))
    }
    await tokens.revokePersonal(user, Date.now())
    count && announce('oauth2:token_revoked', { jti: null, clientId: null, userId: user.userId })
    return count
  }

  /** Of several requests at once, one is told that it has revoked a token. */
  #revokesFirst(jti: string, expiresAt: number) {
    return this.server.tokens.used.use('token_revocation', jti, expiresAt)
  }
}

function isActive({ revokedAt, expiresAt }: AccessTokenRecord): boolean {
  return revokedAt === null && !isExpired(expiresAt)
}

/** An access token of a user; null for one that is unknown or another's. */
async function findOwn(tokens: TokenStore, user: Owner, jti: string) {
  const found = await tokens.findAccessToken(jti)
  return found && isOwnedBy(found.record, user) ? found.record : null
}
