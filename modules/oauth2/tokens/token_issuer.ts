import { InvalidClient } from '#auth/errors'
import { generateIdentifier, generateSecret, hashSecret } from '#support/secrets'
import type { Clients } from '#oauth2/clients/clients'
import { type Announce, tokenEvent } from '#oauth2/events'
import type { AccessTokens } from '#oauth2/tokens/access_tokens'
import type { IssuedRecords, TokenStore, UserKey } from '#oauth2/tokens/token_store'

/** What a grant gives tokens for. */
export interface GrantedAccess {
  /** null for client credentials. */
  user: UserKey | null
  clientId: string | null
  scopes: string[]
  resource: string | null
}

/** Tokens that are signed and not stored yet, so that no transaction waits for a signature. */
export interface PreparedTokens {
  records: IssuedRecords
  accessToken: string
  refreshToken: string | null
}

/** The body of a token response (RFC 6749 §5.1). */
export interface TokenResponse {
  access_token: string
  token_type: 'Bearer'
  /** Seconds. */
  expires_in: number
  scope: string
  refresh_token?: string
}

/** Makes access tokens and refresh tokens. */
export class TokenIssuer {
  constructor(
    protected accessTokens: AccessTokens,
    protected ttls: { accessTokenTtl: number; refreshTokenTtl: number },
    protected services: { tokens: TokenStore; clients: Clients; announce: Announce }
  ) {}

  /**
   * Issues tokens: the last step of a grant, unless a code or a refresh token has
   * to be spent for them. When their client is revoked at this moment, none are
   * left.
   *
   * @param refreshable whether a refresh token goes with the access token
   * @throws {InvalidClient} when the client has been revoked
   */
  async issue(
    grantType: string,
    granted: GrantedAccess,
    refreshable: boolean
  ): Promise<TokenResponse> {
    const prepared = await this.prepare(granted, refreshable ? { familyId: null } : null)
    await this.#insert(prepared.records)
    this.services.announce('oauth2:token_issued', { grantType, ...tokenEvent(prepared) })
    return toResponse(prepared)
  }

  /**
   * Signs tokens, which the caller stores.
   *
   * @param refresh whether a refresh token goes with the access token, and the family it joins; null starts one
   */
  async prepare(
    granted: GrantedAccess,
    refresh: { familyId: string | null } | null
  ): Promise<PreparedTokens> {
    const { user, clientId, scopes, resource } = granted
    const createdAt = wholeSecond(Date.now())
    const access = {
      jti: generateIdentifier(),
      userId: user?.userId ?? null,
      provider: user?.provider ?? null,
      clientId,
      scopes,
      resource,
      name: null,
      createdAt,
      expiresAt: createdAt + this.ttls.accessTokenTtl * 1000,
      revokedAt: null,
    }
    const accessToken = await this.accessTokens.sign(access)
    if (!refresh || !user) {
      return { records: { access, refresh: null }, accessToken, refreshToken: null }
    }

    const refreshToken = generateSecret()
    const id = generateIdentifier()
    return {
      accessToken,
      refreshToken,
      records: {
        access,
        refresh: {
          id,
          tokenHash: hashSecret(refreshToken),
          familyId: refresh.familyId ?? id,
          accessTokenId: access.jti,
          userId: user.userId,
          provider: user.provider,
          clientId,
          scopes,
          resource,
          createdAt,
          expiresAt: createdAt + this.ttls.refreshTokenTtl * 1000,
          rotatedAt: null,
          revokedAt: null,
        },
      },
    }
  }

  /**
   * A revocation marks the client and then revokes its tokens. So either it finds
   * the inserted tokens, or the client is seen as revoked here: by the insertion
   * itself, or by a look at the client after it.
   */
  async #insert(issued: IssuedRecords) {
    const { tokens, clients } = this.services
    const { clientId } = issued.access
    if (clientId === null) {
      return tokens.insertTokens(issued)
    }

    const inserted = await tokens.insertUnlessRevoked?.(issued, clients.repository)
    if (inserted) {
      return
    }
    if (inserted !== false) {
      await tokens.insertTokens(issued)
      if (await clients.find(clientId)) {
        return
      }
      await tokens.revokeAll({ clientId }, Date.now())
    }
    throw new InvalidClient(undefined, { reason: 'client revoked by another request' })
  }
}

/** JWTs count in seconds: rows do not outlive them by a fraction. */
export function wholeSecond(instant: number): number {
  return Math.floor(instant / 1000) * 1000
}

export function toResponse({ records, accessToken, refreshToken }: PreparedTokens): TokenResponse {
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: (records.access.expiresAt - records.access.createdAt) / 1000,
    scope: records.access.scopes.join(' '),
    ...(refreshToken !== null && { refresh_token: refreshToken }),
  }
}
