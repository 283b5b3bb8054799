import type {
  AccessTokenRecord,
  AuthorizationCodeRecord,
  RefreshTokenRecord,
} from '#oauth2/tokens/token_store'

/*
| Rows of raw statements as records, and back. PostgreSQL hands a bigint over as text.
*/

type Row = Record<string, any>

const instant = (value: unknown) => (value === null ? null : Number(value))

export function toAccessToken(row: Row): AccessTokenRecord {
  return {
    jti: row.jti,
    userId: row.user_id,
    provider: row.provider,
    clientId: row.client_id,
    scopes: JSON.parse(row.scopes),
    resource: row.resource,
    name: row.name,
    grantId: row.grant_id,
    context: row.context === null ? null : JSON.parse(row.context),
    dpopJkt: row.dpop_jkt,
    lastUsedAt: instant(row.last_used_at),
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    revokedAt: instant(row.revoked_at),
  }
}

export function toRefreshToken(row: Row): RefreshTokenRecord {
  return {
    id: row.id,
    tokenHash: row.token_hash,
    familyId: row.family_id,
    accessTokenId: row.access_token_id,
    userId: row.user_id,
    provider: row.provider,
    clientId: row.client_id,
    scopes: JSON.parse(row.scopes),
    resource: row.resource,
    grantId: row.grant_id,
    authentication: row.authentication === null ? null : JSON.parse(row.authentication),
    dpopJkt: row.dpop_jkt,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    rotatedAt: instant(row.rotated_at),
    revokedAt: instant(row.revoked_at),
    replay:
      row.sealed_successor === null
        ? null
        : { sealed: row.sealed_successor, until: Number(row.replayable_until) },
  }
}

export function toAuthorizationCode(row: Row): AuthorizationCodeRecord {
  return {
    id: row.id,
    codeHash: row.code_hash,
    userId: row.user_id,
    provider: row.provider,
    clientId: row.client_id,
    redirectUri: row.redirect_uri,
    scopes: JSON.parse(row.scopes),
    resource: row.resource,
    codeChallenge: row.code_challenge,
    codeChallengeMethod: row.code_challenge_method,
    grantId: row.grant_id,
    authentication: row.authentication === null ? null : JSON.parse(row.authentication),
    dpopJkt: row.dpop_jkt,
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    redeemedAt: instant(row.redeemed_at),
    accessTokenId: row.access_token_id,
    revokedAt: instant(row.revoked_at),
  }
}

export function fromAccessToken(record: AccessTokenRecord): Row {
  return {
    jti: record.jti,
    user_id: record.userId,
    provider: record.provider,
    client_id: record.clientId,
    scopes: JSON.stringify(record.scopes),
    resource: record.resource,
    name: record.name,
    grant_id: record.grantId,
    context: record.context && JSON.stringify(record.context),
    dpop_jkt: record.dpopJkt,
    last_used_at: record.lastUsedAt,
    created_at: record.createdAt,
    expires_at: record.expiresAt,
    revoked_at: record.revokedAt,
  }
}

export function fromRefreshToken(record: RefreshTokenRecord): Row {
  return {
    id: record.id,
    token_hash: record.tokenHash,
    family_id: record.familyId,
    access_token_id: record.accessTokenId,
    user_id: record.userId,
    provider: record.provider,
    client_id: record.clientId,
    scopes: JSON.stringify(record.scopes),
    resource: record.resource,
    grant_id: record.grantId,
    authentication: record.authentication && JSON.stringify(record.authentication),
    dpop_jkt: record.dpopJkt,
    created_at: record.createdAt,
    expires_at: record.expiresAt,
    rotated_at: record.rotatedAt,
    revoked_at: record.revokedAt,
    sealed_successor: record.replay?.sealed ?? null,
    replayable_until: record.replay?.until ?? null,
  }
}

export function fromAuthorizationCode(record: AuthorizationCodeRecord): Row {
  return {
    id: record.id,
    code_hash: record.codeHash,
    user_id: record.userId,
    provider: record.provider,
    client_id: record.clientId,
    redirect_uri: record.redirectUri,
    scopes: JSON.stringify(record.scopes),
    resource: record.resource,
    code_challenge: record.codeChallenge,
    code_challenge_method: record.codeChallengeMethod,
    grant_id: record.grantId,
    authentication: record.authentication && JSON.stringify(record.authentication),
    dpop_jkt: record.dpopJkt,
    created_at: record.createdAt,
    expires_at: record.expiresAt,
    redeemed_at: record.redeemedAt,
    access_token_id: record.accessTokenId,
    revoked_at: record.revokedAt,
  }
}
