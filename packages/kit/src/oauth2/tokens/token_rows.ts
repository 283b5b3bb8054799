import type { Row } from '#database/direct_connection'
import { RowCodec } from '#database/row_codec'
import type {
  AccessTokenRecord,
  AuthorizationCodeRecord,
  RefreshTokenRecord,
} from '#oauth2/tokens/token_store'

export const accessTokenRows = new RowCodec<AccessTokenRecord>({
  jti: 'text',
  userId: 'text',
  provider: 'text',
  clientId: 'text',
  scopes: 'json',
  resource: 'text',
  name: 'text',
  grantId: 'text',
  context: 'json',
  dpopJkt: 'text',
  lastUsedAt: 'number',
  createdAt: 'number',
  expiresAt: 'number',
  revokedAt: 'number',
})

const refreshTokens = new RowCodec<Omit<RefreshTokenRecord, 'replay'>>({
  id: 'text',
  tokenHash: 'text',
  familyId: 'text',
  accessTokenId: 'text',
  userId: 'text',
  provider: 'text',
  clientId: 'text',
  scopes: 'json',
  resource: 'text',
  grantId: 'text',
  authentication: 'json',
  dpopJkt: 'text',
  createdAt: 'number',
  expiresAt: 'number',
  rotatedAt: 'number',
  revokedAt: 'number',
})

/** Two columns make the replay of a token. */
export const refreshTokenRows = {
  read(row: Row): RefreshTokenRecord {
    const { sealed_successor: sealed, replayable_until: until } = row
    const replay = sealed === null ? null : { sealed: sealed as string, until: Number(until) }
    return { ...refreshTokens.read(row), replay }
  },
  write({ replay, ...record }: RefreshTokenRecord): Row {
    return {
      ...refreshTokens.write(record),
      sealed_successor: replay?.sealed ?? null,
      replayable_until: replay?.until ?? null,
    }
  },
}

export const authorizationCodeRows = new RowCodec<AuthorizationCodeRecord>({
  id: 'text',
  codeHash: 'text',
  userId: 'text',
  provider: 'text',
  clientId: 'text',
  redirectUri: 'text',
  scopes: 'json',
  resource: 'text',
  codeChallenge: 'text',
  codeChallengeMethod: 'text',
  grantId: 'text',
  authentication: 'json',
  dpopJkt: 'text',
  createdAt: 'number',
  expiresAt: 'number',
  redeemedAt: 'number',
  accessTokenId: 'text',
  revokedAt: 'number',
})
