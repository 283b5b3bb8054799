import type { Binding } from '#oauth2/dpop/dpop'
import { generateRowIdentifier, generateSecret, hashSecret, instantOf } from '#security/secrets'
import type { AccessTokens } from '#oauth2/tokens/access_tokens'
import { newAccessToken, wholeSecond } from '#oauth2/tokens/new_records'
import type { Authentication } from '#oauth2/openid/authentication'
import type {
  AuthorizationCodeRecord,
  IssuedRecords,
  RefreshTokenRecord,
  UserKey,
} from '#oauth2/tokens/token_store'

/** What a grant gives tokens for. */
export interface GrantedAccess {
  /** null for client credentials. */
  user: UserKey | null
  clientId: string | null
  scopes: string[]
  resource: string | null
  /** What the user has allowed the client, where the tokens come of that. */
  grantId?: string | null
  /** The sign-in of the user, for ID tokens. */
  authentication?: Authentication | null
  /** The key that the tokens are bound to (RFC 9449). */
  binding?: Binding | null
  /** Seconds that the access token lives at most. Default: as long as every other. */
  maxLifetime?: number
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
  token_type: 'Bearer' | 'DPoP'
  /** Seconds. */
  expires_in: number
  scope: string
  refresh_token?: string
  /** With the scope `openid` (OpenID Connect Core 1.0 §3.1.3.3). */
  id_token?: string
}

/** What was approved with a code, or is under a refresh token. */
export function approvedAccess(record: AuthorizationCodeRecord | RefreshTokenRecord) {
  const { userId, provider, clientId, scopes, resource, grantId, authentication } = record
  return { user: { userId, provider }, clientId, scopes, resource, grantId, authentication }
}

/** Makes access tokens and refresh tokens. */
export class TokenIssuer {
  constructor(
    protected accessTokens: AccessTokens,
    protected ttls: { accessTokenTtl: number; refreshTokenTtl: number; refreshFamilyTtl: number }
  ) {}

  /**
   * Signs tokens, which the caller stores.
   *
   * @param refresh whether a refresh token goes with the access token, and the family it joins; null starts one
   */
  async prepare(
    granted: GrantedAccess,
    refresh: { familyId: string | null } | null
  ): Promise<PreparedTokens> {
    const { user, clientId, scopes, resource, grantId = null } = granted
    const { authentication = null, binding = null, maxLifetime = Infinity } = granted
    const owner = user && { userId: user.userId, provider: user.provider }
    const shared = { clientId, scopes, resource, grantId }
    const access = newAccessToken(
      { ...shared, ...owner, dpopJkt: binding?.jkt ?? null },
      Math.min(this.ttls.accessTokenTtl, maxLifetime)
    )
    const accessToken = await this.accessTokens.sign(access)
    if (!refresh || !owner) {
      return { records: { access, refresh: null }, accessToken, refreshToken: null }
    }

    const refreshToken = generateSecret()
    const id = generateRowIdentifier()
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
          ...shared,
          ...owner,
          /* The nonce is for the first ID token alone (OpenID Connect Core 1.0 §12.2). */
          authentication: authentication && { ...authentication, nonce: null },
          dpopJkt: binding?.refresh ? binding.jkt : null,
          createdAt: access.createdAt,
          expiresAt: this.#refreshUntil(access.createdAt, refresh.familyId),
          rotatedAt: null,
          revokedAt: null,
          replay: null,
        },
      },
    }
  }

  /** A family ends at some time, however often it is refreshed. Identifiers from before they told their time set no end. */
  #refreshUntil(createdAt: number, familyId: string | null): number {
    const began = (familyId !== null && instantOf(familyId)) || createdAt
    const { refreshTokenTtl, refreshFamilyTtl } = this.ttls
    return Math.min(
      createdAt + refreshTokenTtl * 1000,
      wholeSecond(began) + refreshFamilyTtl * 1000
    )
  }
}

export function toResponse(
  { records, accessToken, refreshToken }: PreparedTokens,
  idToken: string | null = null
): TokenResponse {
  return {
    access_token: accessToken,
    token_type: records.access.dpopJkt === null ? 'Bearer' : 'DPoP',
    expires_in: (records.access.expiresAt - records.access.createdAt) / 1000,
    scope: records.access.scopes.join(' '),
    ...(refreshToken !== null && { refresh_token: refreshToken }),
    ...(idToken !== null && { id_token: idToken }),
  }
}
