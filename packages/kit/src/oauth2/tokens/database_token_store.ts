import type { Owner, Users } from '#auth/users'
import { DatabaseKeptRecords, DatabaseUsedOnce } from '#database/records'
import { type Query, type Row, insertion, prepareRow, recordLastUse } from '#database/raw_query'
import { RowCodec, kindsOf, rowLookup } from '#database/raw_rows'
import { OauthAccessTokenSchema, OauthRefreshTokenSchema } from '#database/schema'
import { type ClientRepository, OrmClientRepository } from '#oauth2/clients/client_repository'
import { DatabaseDeviceStore } from '#oauth2/device/device_store'
import OAuthAccessToken from '#oauth2/models/oauth_access_token'
import OAuthPendingAuthorization from '#oauth2/models/oauth_pending_authorization'
import OAuthPushedRequest from '#oauth2/models/oauth_pushed_request'
import type { PushedRecord } from '#oauth2/par/pushed_requests'
import type { PendingRecord } from '#oauth2/pending/pending_authorizations'
import { TokenPurge } from '#oauth2/tokens/database_purge'
import { DatabaseRevocations, revoke } from '#oauth2/tokens/database_revocations'
import { type Guarded, isPostgres, runGuarded, underGrant } from '#oauth2/tokens/statements'
import {
  type AccessTokenRecord,
  type AuthorizationCodeRecord,
  type IssuedRecords,
  type RefreshTokenRecord,
  type Replay,
  type TokenStore,
  familyOf,
} from '#oauth2/tokens/token_store'
import { DatabaseGrantStore, authorizationCodeRows } from '#oauth2/user_grants/database_grant_store'

const accessTokenRows = new RowCodec<AccessTokenRecord>(kindsOf(OauthAccessTokenSchema))

/** Two columns make the replay of a token. */
const REPLAY = ['sealedSuccessor', 'replayableUntil']

const refreshTokens = new RowCodec<Omit<RefreshTokenRecord, 'replay'>>({
  ...kindsOf<Omit<RefreshTokenRecord, 'replay'>>(OauthRefreshTokenSchema, REPLAY),
  authentication: 'json',
})

const refreshTokenRows = {
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

/**
 * Tokens in tables. Locks are the rows of the grant, of the family's first refresh token and of the code, in
 * this order. On PostgreSQL a lock is `FOR UPDATE` and comes first: statements after it see what its former
 * holder wrote. On SQLite, with one writer at a time, a transaction that reads first could end in SQLITE_BUSY.
 */
export class DatabaseTokenStore extends DatabaseRevocations implements TokenStore {
  readonly grants = new DatabaseGrantStore(this.client, this.models.authCode)
  readonly used = new DatabaseUsedOnce(this.client)
  readonly devices = new DatabaseDeviceStore(this.client)
  readonly pending = new DatabaseKeptRecords<PendingRecord>(this.client, OAuthPendingAuthorization)
  readonly pushed = new DatabaseKeptRecords<PushedRecord>(this.client, OAuthPushedRequest)
  readonly #purge = new TokenPurge([this.pending, this.pushed, this.used])

  async insertCode(code: AuthorizationCodeRecord) {
    await this.grants.insertCode(code)
  }

  findCode(codeHash: string, users?: Users) {
    return findCode(this.client(), codeHash, users)
  }

  redeemCode(codeId: string, issued: IssuedRecords, now: number) {
    const { grantId, jti } = issued.access
    const grant = underGrant(this.client(), grantId)
    const redemption = {
      sql: `UPDATE oauth_auth_codes SET redeemed_at = ?, access_token_id = ?
        WHERE id = ? AND redeemed_at IS NULL AND revoked_at IS NULL ${grant.sql} RETURNING 1`,
      bindings: [now, jti, codeId, ...grant.bindings],
    }
    return this.#insert(issued, (insertions) => [redemption, insertions])
  }

  async insertTokens(issued: IssuedRecords) {
    await this.#insert(issued, ([access, ...others]) => [access!(undefined), others])
  }

  /** The insertion decides by itself. On PostgreSQL a lock on the client's row makes a revocation wait. */
  insertUnlessRevoked(issued: IssuedRecords, clients: ClientRepository) {
    const client = this.client()
    const isOfTable = clients instanceof OrmClientRepository
    if (!isOfTable || clients.connectionName !== client.connectionName) {
      return null
    }
    const lock = isPostgres(client) ? 'FOR SHARE' : ''
    const sql = `EXISTS (SELECT 1 FROM oauth_clients WHERE id = ? AND NOT revoked ${lock})`
    const condition = { sql, bindings: [issued.access.clientId] }
    return this.#insert(issued, ([access, ...others]) => [access!(condition), others])
  }

  findAccessToken(jti: string, users?: Users) {
    return findAccess(this.client(), jti, users)
  }

  findRefreshToken(tokenHash: string, users?: Users) {
    return findRefresh(this.client(), tokenHash, users)
  }

  async findRefreshTokenOf(jti: string) {
    const found = await findRefreshOf(this.client(), jti)
    return found?.record ?? null
  }

  /**
   * On PostgreSQL the compare-and-set takes the family's lock by itself: a row that changed while it
   * waited is judged anew. SQLite has one writer at a time.
   */
  rotate(current: RefreshTokenRecord, issued: IssuedRecords, now: number, replay: Replay | null) {
    const client = this.client()
    const grant = underGrant(client, current.grantId)
    const lock = 'AND EXISTS (SELECT 1 FROM oauth_refresh_tokens WHERE id = ? FOR UPDATE)'
    const [family, familyId] = isPostgres(client) ? [lock, [familyOf(current)]] : ['', []]
    const kept = [replay?.sealed ?? null, replay?.until ?? null]
    const rotation = {
      sql: `UPDATE oauth_refresh_tokens
        SET rotated_at = ?, sealed_successor = ?, replayable_until = ?
        WHERE id = ? AND revoked_at IS NULL AND rotated_at IS NULL ${grant.sql} ${family} RETURNING 1`,
      bindings: [now, ...kept, current.id, ...grant.bindings, ...familyId],
    }
    const revocation: Guarded = (condition) => ({
      sql: `UPDATE oauth_access_tokens SET revoked_at = ?
        WHERE jti = ? AND revoked_at IS NULL ${condition ? `AND ${condition.sql}` : ''} RETURNING 1`,
      bindings: [now, current.accessTokenId],
    })
    return this.#insert(issued, (insertions) => [rotation, [...insertions, revocation]])
  }

  async revokeAccessToken(jti: string, now: number) {
    const refresh = await this.findRefreshTokenOf(jti)
    return refresh
      ? this.revokeFamily(familyOf(refresh), now)
      : revoke(this.accessTokens().where('jti', jti), now)
  }

  async listAccessTokens(user: Owner, { personal }: { personal: boolean }) {
    const tokens = this.accessTokens().where(user)
    const listed = personal ? tokens.whereNotNull('name') : tokens.whereNull('name')
    return listed.orderBy('createdAt', 'desc').orderBy('jti')
  }

  async recordUse(jti: string, now: number, before: number) {
    const tokens = { table: OAuthAccessToken.table, key: 'jti' }
    await recordLastUse(this.client(), tokens, jti, now, before)
  }

  async hasActiveFrom(until: number, now: number) {
    /* Long-lived ones come first, so that one from before is found at once if there is any. */
    const living = this.accessTokens().where('expiresAt', '>', now).whereNull('revokedAt')
    const older = living.where('createdAt', '<=', until).orderBy('expiresAt', 'desc')
    return (await older.first()) !== null
  }

  async findClientsInUse(clientIds: string[]) {
    const client = this.client()
    const tables = ['grants', 'auth_codes', 'refresh_tokens', 'access_tokens']
    const usedIn = (table: string) =>
      client.from(`oauth_${table}`).distinct('client_id').whereIn('client_id', clientIds)
    const found = await Promise.all(tables.map(usedIn))
    return [...new Set(found.flat().map((row) => row.client_id as string))]
  }

  purge(now: number, familiesBefore: number) {
    return this.#purge.run(this.client(), now, familiesBefore)
  }

  /** @param plan the statement that decides, and those after it, made of insertions: the access token's first */
  async #insert(
    { access, refresh }: IssuedRecords,
    plan: (insertions: Guarded[]) => [guard: Query, guarded: Guarded[]]
  ): Promise<boolean> {
    const { accessToken, refreshToken } = this.models
    const prepared = [await prepareRow(accessToken, accessTokenRows.write(access))]
    if (refresh) {
      prepared.push(await prepareRow(refreshToken, refreshTokenRows.write(refresh)))
    }
    const tables = ['oauth_access_tokens', 'oauth_refresh_tokens']
    const insertions = prepared.map(({ row }, index): Guarded => {
      return (condition) => insertion(tables[index]!, row, { condition })
    })
    const isWritten = await runGuarded(this.client(), ...plan(insertions))
    for (const { inserted } of isWritten ? prepared : []) {
      await inserted()
    }
    return isWritten
  }
}

const CODES = { table: 'oauth_auth_codes', rows: authorizationCodeRows }
const ACCESS = { table: 'oauth_access_tokens', rows: accessTokenRows }
const REFRESH = { table: 'oauth_refresh_tokens', rows: refreshTokenRows }
const findCode = rowLookup({ ...CODES, key: 'code_hash' })
const findAccess = rowLookup({ ...ACCESS, key: 'jti' })
const findRefresh = rowLookup({ ...REFRESH, key: 'token_hash' })
const findRefreshOf = rowLookup({ ...REFRESH, key: 'access_token_id' })
