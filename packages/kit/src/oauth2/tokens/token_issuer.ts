import type { Owner } from '#auth/users'
import type {
  AccessTokenRecord,
  AuthorizationCodeRecord,
  IssuedRecords,
  RefreshTokenRecord,
} from '#oauth2/tokens/token_store'
import { generateRowIdentifier, generateSecret, hashSecret, instantOf } from '#security/secrets'
import type { Binding } from '#oauth2/dpop/dpop'
import type { Authentication } from '#oauth2/openid/openid'
import { InvalidClient, InvalidGrant } from '#auth/errors'
import { ServerPart } from '#oauth2/server_part'
import type { Client } from '#oauth2/clients/client'
import { tokenEvent } from '#oauth2/events'
import { mayUse } from '#oauth2/grants/grant'
import { assertOr } from '#process/assert_or'
import type { MaybePromise } from '#process/maybe_promise'

type Fields<Stored, Required extends keyof Stored> = Partial<Stored> & Pick<Stored, Required>

/** What a record is unless it says more. */
const ISSUED = { resource: null, grantId: null, dpopJkt: null, revokedAt: null }
const OF_NOBODY = { userId: null, provider: null, clientId: null }
const REFRESH = { ...ISSUED, rotatedAt: null, replay: null }
const ACCESS = { ...ISSUED, ...OF_NOBODY, name: null, context: null, lastUsedAt: null }
const CODE = {
  ...{ ...ISSUED, redirectUri: null, codeChallenge: null, codeChallengeMethod: null },
  ...{ authentication: null, redeemedAt: null, accessTokenId: null },
}

/** JWTs count in seconds: rows do not outlive them by a fraction. */
const wholeSecond = (instant: number): number => Math.floor(instant / 1000) * 1000

/** An access token that is not stored yet. @param lifetime seconds */
export function newAccessToken(
  fields: Fields<AccessTokenRecord, 'scopes'>,
  lifetime: number
): AccessTokenRecord {
  const createdAt = wholeSecond(Date.now())
  const expiresAt = createdAt + lifetime * 1000
  return { ...ACCESS, ...fields, jti: generateRowIdentifier(), createdAt, expiresAt }
}

/** An authorization code, and its record that is not stored yet. @param lifetime seconds */
export function newCode(
  fields: Fields<AuthorizationCodeRecord, 'userId' | 'provider' | 'clientId' | 'scopes'>,
  lifetime: number
): { code: string; record: AuthorizationCodeRecord } {
  const code = generateSecret()
  const createdAt = Date.now()
  const expiresAt = createdAt + lifetime * 1000
  const made = { id: generateRowIdentifier(), codeHash: hashSecret(code), createdAt, expiresAt }
  return { code, record: { ...CODE, ...fields, ...made } }
}

export interface GrantedAccess {
  /** null for client credentials. */
  user: Owner | null
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

/** The family that a refresh token joins, null for one of its own; null for no refresh token. */
export type Refresh = { familyId: string | null } | null

/** Tokens that are signed and not stored yet, so that no transaction waits for a signature. */
export type PreparedTokens = Awaited<ReturnType<TokenIssuer['prepare']>>

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

export function approvedAccess(record: AuthorizationCodeRecord | RefreshTokenRecord) {
  const { userId, provider, clientId, scopes, resource, grantId, authentication } = record
  return { user: { userId, provider }, clientId, scopes, resource, grantId, authentication }
}

export class TokenIssuer extends ServerPart {
  /** Signs tokens, which the caller stores. */
  async prepare(granted: GrantedAccess, refresh: Refresh) {
    const { user, clientId, scopes, resource, grantId = null } = granted
    const { authentication = null, binding = null, maxLifetime = Infinity } = granted
    const owner = user && { userId: user.userId, provider: user.provider }
    const shared = { ...owner, clientId, scopes, resource, grantId }
    const lifetime = Math.min(this.server.config.accessTokenTtl, maxLifetime)
    const fields = { ...shared, dpopJkt: binding?.jkt ?? null }
    const access = newAccessToken(fields, lifetime)
    const accessToken = await this.server.accessTokens.sign(access)
    if (!refresh || !owner) {
      return { records: { access, refresh: null }, accessToken, refreshToken: null }
    }

    const refreshToken = generateSecret()
    const id = generateRowIdentifier()
    const stored: RefreshTokenRecord = {
      ...REFRESH,
      ...shared,
      ...owner,
      id,
      tokenHash: hashSecret(refreshToken),
      familyId: refresh.familyId ?? id,
      accessTokenId: access.jti,
      /* The nonce is for the first ID token alone (OpenID Connect Core 1.0 §12.2). */
      authentication: authentication && { ...authentication, nonce: null },
      dpopJkt: binding?.refresh ? binding.jkt : null,
      createdAt: access.createdAt,
      expiresAt: this.#refreshUntil(access.createdAt, refresh.familyId),
    }
    return { records: { access, refresh: stored }, accessToken, refreshToken }
  }

  /** A family ends, however often it is refreshed. Identifiers from before they told their time set no end. */
  #refreshUntil(createdAt: number, familyId: string | null): number {
    const began = (familyId !== null && instantOf(familyId)) || createdAt
    const { refreshTokenTtl, refreshFamilyTtl } = this.server.config
    const familyUntil = wholeSecond(began) + refreshFamilyTtl * 1000
    return Math.min(createdAt + refreshTokenTtl * 1000, familyUntil)
  }
}

/** The last steps of every grant. */
export class Issuance extends ServerPart {
  /**
   * Gives tokens for a code or refresh token, which is spent: no transaction waits for a signature.
   * @param spend stores the tokens together with what they are given for; false when that was spent meanwhile
   * @returns null, and nothing is stored, when it was spent by another request
   */
  async redeem(
    grantType: string,
    granted: GrantedAccess,
    refresh: Refresh,
    spend: (issued: IssuedRecords, response: TokenResponse) => MaybePromise<boolean>
  ): Promise<TokenResponse | null> {
    const { tokenIssuer, openid, announce } = this.server
    const prepared = await tokenIssuer.prepare(granted, refresh)
    const idToken = await openid?.idTokenFor(prepared, granted.authentication ?? null)
    const { records, accessToken, refreshToken } = prepared
    const { dpopJkt, expiresAt, createdAt, scopes } = records.access
    const response: TokenResponse = {
      access_token: accessToken,
      token_type: dpopJkt === null ? 'Bearer' : 'DPoP',
      expires_in: (expiresAt - createdAt) / 1000,
      scope: scopes.join(' '),
      ...(refreshToken !== null && { refresh_token: refreshToken }),
      ...(idToken && { id_token: idToken }),
    }
    if (!(await spend(records, response))) {
      return null
    }
    const event = tokenEvent(records.access)
    grantType === 'refresh_token'
      ? announce('oauth2:token_refreshed', event)
      : announce('oauth2:token_issued', { grantType, ...event })
    return response
  }

  /** Gives tokens for a code; null when it was spent by another request. */
  redeemCode(
    grantType: string,
    code: AuthorizationCodeRecord,
    client: Client,
    binding: Binding | null
  ): Promise<TokenResponse | null> {
    const { config, tokens } = this.server
    const refresh = mayUse(config, client, 'refresh_token') ? { familyId: null } : null
    return this.redeem(grantType, { ...approvedAccess(code), binding }, refresh, (issued) =>
      tokens.redeemCode(code.id, issued, Date.now())
    )
  }

  /**
   * Gives tokens for what is not stored here.
   * @param refreshable whether a refresh token goes with the access token
   * @throws {InvalidClient | InvalidGrant} when client or user has been turned off meanwhile: no tokens are left then
   */
  async issue(grantType: string, granted: GrantedAccess, refreshable: boolean) {
    const { owners, tokens } = this.server
    const refresh = refreshable ? { familyId: null } : null
    const insert = async (issued: IssuedRecords) => {
      const isInserted = await this.#insert(issued)
      if (granted.user && !(await owners.find(granted.user, null))) {
        await tokens.revokeAccessToken(issued.access.jti, Date.now())
        throw new InvalidGrant('The user is not active any more.')
      }
      return isInserted
    }
    const response = await this.redeem(grantType, granted, refresh, insert)
    assertOr(response, InvalidClient, undefined, { reason: 'client revoked by another request' })
    return response
  }

  /**
   * A revocation marks the client and then revokes its tokens. So either it finds the inserted tokens,
   * or the client is seen as revoked here: by the insertion itself, or by a look at the client after it.
   */
  async #insert(issued: IssuedRecords): Promise<boolean> {
    const { tokens, clients } = this.server
    const { clientId } = issued.access
    const inserted = clientId && (await tokens.insertUnlessRevoked?.(issued, clients.repository))
    if (typeof inserted === 'boolean') {
      return inserted
    }
    await tokens.insertTokens(issued)
    const isRevoked = clientId !== null && !(await clients.find(clientId))
    isRevoked && (await tokens.revokeAll({ clientId }, Date.now()))
    return !isRevoked
  }
}
