import type { Row } from '#database/direct_connection'
import { RowCodec } from '#database/row_codec'
import type {
  AccessTokenRecord,
  AuthorizationCodeRecord,
  RefreshTokenRecord,
} from '#oauth2/tokens/token_store'
import type { GrantRecord } from '#oauth2/user_grants/grant_store'

const OWNED = {
  userId: 'text',
  provider: 'text',
  clientId: 'text',
  scopes: 'json',
  resource: 'text',
  createdAt: 'number',
  expiresAt: 'number',
  revokedAt: 'number',
} as const

const ISSUED = { ...OWNED, grantId: 'text', dpopJkt: 'text' } as const

export const accessTokenRows = new RowCodec<AccessTokenRecord>({
  ...ISSUED,
  jti: 'text',
  name: 'text',
  context: 'json',
  lastUsedAt: 'number',
})

const refreshTokens = new RowCodec<Omit<RefreshTokenRecord, 'replay'>>({
  ...ISSUED,
  id: 'text',
  tokenHash: 'text',
  familyId: 'text',
  accessTokenId: 'text',
  authentication: 'json',
  rotatedAt: 'number',
})

/** Two columns make the replay of a token. */
export const refreshTokenRows = {
  read(row: Row): RefreshTokenRecord {
    const { sealed_successor: sealed, replayable_until: until } = row
    const replay = sealed === null ? null : { sealed: sealed as string, until: Number(until) }
    return Object.assign(refreshTokens.read(row), { replay })
  },
  write(record: RefreshTokenRecord): Row {
    const { sealed = null, until = null } = record.replay ?? {}
    const columns = { sealed_successor: sealed, replayable_until: until }
    return Object.assign(refreshTokens.write(record), columns)
  },
}

export const authorizationCodeRows = new RowCodec<AuthorizationCodeRecord>({
  ...ISSUED,
  id: 'text',
  codeHash: 'text',
  redirectUri: 'text',
  codeChallenge: 'text',
  codeChallengeMethod: 'text',
  authentication: 'json',
  redeemedAt: 'number',
  accessTokenId: 'text',
})

export const grantRows = new RowCodec<GrantRecord>({
  ...OWNED,
  id: 'text',
  context: 'json',
  redirectHost: 'text',
  lastUsedAt: 'number',
})
