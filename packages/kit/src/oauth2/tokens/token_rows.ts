import type { Row } from '#database/direct_connection'
import { RowCodec, kindsOf } from '#database/row_codec'
import {
  OauthAccessTokenSchema,
  OauthAuthCodeSchema,
  OauthGrantSchema,
  OauthRefreshTokenSchema,
} from '#database/schema'
import type {
  AccessTokenRecord,
  AuthorizationCodeRecord,
  RefreshTokenRecord,
} from '#oauth2/tokens/token_store'
import type { GrantRecord } from '#oauth2/user_grants/grant_store'

export const accessTokenRows = new RowCodec<AccessTokenRecord>(kindsOf(OauthAccessTokenSchema))

/** Two columns make the replay of a token. */
const REPLAY = ['sealedSuccessor', 'replayableUntil']

const refreshTokens = new RowCodec<Omit<RefreshTokenRecord, 'replay'>>({
  ...kindsOf<Omit<RefreshTokenRecord, 'replay'>>(OauthRefreshTokenSchema, REPLAY),
  authentication: 'json',
})

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
  ...kindsOf<AuthorizationCodeRecord>(OauthAuthCodeSchema),
  authentication: 'json',
})

export const grantRows = new RowCodec<GrantRecord>(kindsOf(OauthGrantSchema, ['liveKey']))
