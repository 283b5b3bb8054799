import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'

import type { Row } from '#database/direct_connection'
import { DatabaseKeptRecords } from '#database/kept_records'
import { recordLastUse } from '#database/last_use'
import { prepareRow } from '#database/models'
import { selectRows } from '#database/raw_query'
import { RowLookup } from '#database/row_lookup'
import { DatabaseUsedOnce } from '#database/used_once'
import type { Users } from '#auth/users'
import OAuthAccessToken from '#oauth2/models/oauth_access_token'
import OAuthAuthCode from '#oauth2/models/oauth_auth_code'
import OAuthGrant from '#oauth2/models/oauth_grant'
import OAuthRefreshToken from '#oauth2/models/oauth_refresh_token'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import { OrmClientRepository } from '#oauth2/clients/orm_client_repository'
import { TokenPurge } from '#oauth2/tokens/database_purge'
import {
  type Guarded,
  insertRow,
  insertion,
  isPostgres,
  runGuarded,
} from '#oauth2/tokens/statements'
import { accessTokenRows, authorizationCodeRows, refreshTokenRows } from '#oauth2/tokens/token_rows'
import {
  type AuthorizationCodeRecord,
  type Found,
  type IssuedRecords,
  type RefreshTokenRecord,
  type Replay,
  type TokenOwner,
  type TokenStore,
  type UserKey,
  familyOf,
} from '#oauth2/tokens/token_store'
import { DatabaseDeviceStore } from '#oauth2/device/database_device_store'
import OAuthPendingAuthorization from '#oauth2/models/oauth_pending_authorization'
import OAuthPushedRequest from '#oauth2/models/oauth_pushed_request'
import type { PushedRecord } from '#oauth2/par/pushed_record'
import type { PendingRecord } from '#oauth2/pending/pending_record'
import { DatabaseGrantStore, revokeGrantsOf } from '#oauth2/user_grants/database_grant_store'
import { grantLives } from '#oauth2/user_grants/grant_rows'
import type { GrantContext } from '#oauth2/user_grants/grant_store'

/** The models of the tables; the kit's own, or ones that extend them. */
export interface TokenModels {
  accessToken: typeof OAuthAccessToken
  refreshToken: typeof OAuthRefreshToken
  authCode: typeof OAuthAuthCode
}

/**
 * Tokens in the tables `oauth_access_tokens`, `oauth_refresh_tokens` and
 * `oauth_auth_codes`.
 *
 * What is under a grant is locked by the grant's row, a family by the row of its
 * first refresh token, a code by its own row, in this order. On PostgreSQL the lock is `FOR UPDATE`, taken before anything else; a
 * statement after it sees all that its former holder has written. SQLite has
 * one writer at a time, so there the first statement of a transaction writes:
 * reading first could end in SQLITE_BUSY.
 */
export class DatabaseTokenStore implements TokenStore {
  readonly #client: () => QueryClientContract
  readonly #models: TokenModels
  readonly #purge: TokenPurge
  readonly grants: DatabaseGrantStore
  readonly pending: DatabaseKeptRecords<PendingRecord>
  readonly used: DatabaseUsedOnce
  readonly devices: DatabaseDeviceStore
  readonly pushed: DatabaseKeptRecords<PushedRecord>

  /** @param client gives the connection that the tables are on */
  constructor(client: () => QueryClientContract, models: Partial<TokenModels> = {}) {
    this.#client = client
    this.#models = {
      accessToken: models.accessToken ?? OAuthAccessToken,
      refreshToken: models.refreshToken ?? OAuthRefreshToken,
      authCode: models.authCode ?? OAuthAuthCode,
    }
    this.grants = new DatabaseGrantStore(client, this.#models.authCode)
    this.pending = new DatabaseKeptRecords(client, OAuthPendingAuthorization, 'handle_hash')
    this.used = new DatabaseUsedOnce(client)
    this.devices = new DatabaseDeviceStore(client)
    this.pushed = new DatabaseKeptRecords(client, OAuthPushedRequest, 'uri_hash')
    this.#purge = new TokenPurge([this.pending, this.pushed, this.used])
  }

  async insertCode(code: AuthorizationCodeRecord) {
    const { row, inserted } = await prepareRow(
      this.#models.authCode,
      authorizationCodeRows.write(code)
    )
    await insertRow(this.#client(), 'oauth_auth_codes', row)
    await inserted()
  }

  findCode(codeHash: string, users?: Users) {
    return this.#find(CODE_BY_HASH, authorizationCodeRows, codeHash, users)
  }

  redeemCode(codeId: string, issued: IssuedRecords, now: number) {
    const client = this.#client()
    const grant = underGrant(client, issued.access.grantId)
    const redemption = {
      sql: `UPDATE oauth_auth_codes SET redeemed_at = ?, access_token_id = ?
        WHERE id = ? AND redeemed_at IS NULL AND revoked_at IS NULL ${grant.sql} RETURNING 1`,
      bindings: [now, issued.access.jti, codeId, ...grant.bindings],
    }
    return this.#insert(issued, (insertions) => runGuarded(client, redemption, insertions))
  }

  async insertTokens(issued: IssuedRecords) {
    await this.#insert(issued, ([access, ...others]) =>
      runGuarded(this.#client(), access!(undefined), others)
    )
  }

  /**
   * Whether the client is revoked is decided by the insertion itself. On
   * PostgreSQL a share lock on the client's row makes a revocation wait for it.
   */
  insertUnlessRevoked(issued: IssuedRecords, clients: ClientRepository) {
    const client = this.#client()
    const isHere =
      clients instanceof OrmClientRepository && clients.connectionName === client.connectionName
    if (!isHere) {
      return null
    }
    const lock = isPostgres(client) ? 'FOR SHARE' : ''
    const condition = {
      sql: `EXISTS (SELECT 1 FROM oauth_clients WHERE id = ? AND NOT revoked ${lock})`,
      bindings: [issued.access.clientId],
    }
    return this.#insert(issued, ([access, ...others]) =>
      runGuarded(client, access!(condition), others)
    )
  }

  findAccessToken(jti: string, users?: Users) {
    return this.#find(ACCESS_BY_JTI, accessTokenRows, jti, users)
  }

  findRefreshToken(tokenHash: string, users?: Users) {
    return this.#find(REFRESH_BY_HASH, refreshTokenRows, tokenHash, users)
  }

  async findRefreshTokenOf(jti: string) {
    const found = await this.#find(REFRESH_BY_ACCESS, refreshTokenRows, jti)
    return found?.record ?? null
  }

  /**
   * On PostgreSQL the compare-and-set takes the family's lock by itself: a row that
   * changed while it waited is judged anew.
   */
  rotate(current: RefreshTokenRecord, issued: IssuedRecords, now: number, replay: Replay | null) {
    const client = this.#client()
    const grant = underGrant(client, current.grantId)
    const lock = lockOfFamily(client, current)
    const rotation = {
      sql: `UPDATE oauth_refresh_tokens
        SET rotated_at = ?, sealed_successor = ?, replayable_until = ?
        WHERE id = ? AND revoked_at IS NULL AND rotated_at IS NULL
        ${grant.sql} ${lock.sql} RETURNING 1`,
      bindings: [
        now,
        replay?.sealed ?? null,
        replay?.until ?? null,
        current.id,
        ...grant.bindings,
        ...lock.bindings,
      ],
    }
    const revocation: Guarded = (condition) => ({
      sql: `UPDATE oauth_access_tokens SET revoked_at = ?
        WHERE jti = ? AND revoked_at IS NULL ${condition ? `AND ${condition.sql}` : ''} RETURNING 1`,
      bindings: [now, current.accessTokenId],
    })
    return this.#insert(issued, (insertions) =>
      runGuarded(client, rotation, [...insertions, revocation])
    )
  }

  async revokeFamily(familyId: string, now: number) {
    await this.#client().transaction(async (trx) => {
      if (isPostgres(trx)) {
        await selectRows(trx, LOCK_GRANT_OF_FAMILY, [familyId])
        await this.#models.refreshToken.query({ client: trx }).where('id', familyId).forUpdate()
      }
      await this.#family(trx, familyId).whereNull('revokedAt').update({ revokedAt: now })
      await this.#models.accessToken
        .query({ client: trx })
        .whereIn('jti', this.#family(trx, familyId).select('accessTokenId'))
        .whereNull('revokedAt')
        .update({ revokedAt: now })
    })
  }

  async revokeAccessToken(jti: string, now: number) {
    const refresh = await this.findRefreshTokenOf(jti)
    if (refresh) {
      return this.revokeFamily(familyOf(refresh), now)
    }
    await this.#models.accessToken
      .query({ client: this.#client() })
      .where('jti', jti)
      .whereNull('revokedAt')
      .update({ revokedAt: now })
  }

  /**
   * Grants come first, then codes: whoever is redeeming one holds its row, and what comes
   * of it is seen by the statements after.
   */
  async revokeAll(owner: TokenOwner, now: number) {
    await this.#client().transaction(async (trx) => {
      const { accessToken, refreshToken, authCode } = this.#models
      const codes = () => authCode.query({ client: trx }).where(owner)
      const refresh = () => refreshToken.query({ client: trx }).where(owner)
      const access = () => accessToken.query({ client: trx }).where(owner).whereNull('name')

      await revokeGrantsOf(trx, owner, now)
      if (isPostgres(trx)) {
        /* Rows in one order, so that two revocations never wait for each other. */
        await codes().select('id').whereNull('redeemedAt').orderBy('id').forUpdate()
        await refresh()
          .select('id')
          .where((first) => first.whereNull('familyId').orWhereColumn('familyId', 'id'))
          .orderBy('id')
          .forUpdate()
        await access().select('jti').whereNull('revokedAt').orderBy('jti').forUpdate()
      }
      await codes().whereNull('revokedAt').update({ revokedAt: now })
      await refresh().whereNull('revokedAt').update({ revokedAt: now })
      await access().whereNull('revokedAt').update({ revokedAt: now })
    })
  }

  async revokePersonal(user: UserKey, now: number) {
    await this.#models.accessToken
      .query({ client: this.#client() })
      .where(user)
      .whereNotNull('name')
      .whereNull('revokedAt')
      .update({ revokedAt: now })
  }

  async endPersonalWhere(
    user: UserKey,
    matches: (context: GrantContext) => boolean,
    trx: TransactionClientContract
  ) {
    const own = this.#client()
    const client = own.connectionName === trx.connectionName ? trx : own
    const query = () => this.#models.accessToken.query({ client }).whereNull('revokedAt')
    const rows = await query().where(user).whereNotNull('context').orderBy('jti')
    const ended = rows.filter(({ context }) => matches(context!)).map(({ jti }) => jti)
    await query().whereIn('jti', ended).update({ revokedAt: Date.now() })
  }

  async listAccessTokens(user: UserKey, { personal }: { personal: boolean }) {
    const query = this.#models.accessToken.query({ client: this.#client() }).where(user)
    return (personal ? query.whereNotNull('name') : query.whereNull('name')).orderBy([
      { column: 'createdAt', order: 'desc' },
      { column: 'jti' },
    ])
  }

  async recordUse(jti: string, now: number, before: number) {
    const tokens = { table: OAuthAccessToken.table, key: 'jti' }
    await recordLastUse(this.#client(), tokens, jti, now, before)
  }

  async hasActiveFrom(until: number, now: number) {
    /* Long-lived ones come first, so that one from before is found at once if there is any. */
    const row = await this.#models.accessToken
      .query({ client: this.#client() })
      .where('expiresAt', '>', now)
      .where('createdAt', '<=', until)
      .whereNull('revokedAt')
      .orderBy('expiresAt', 'desc')
      .first()
    return row !== null
  }

  async findClientsInUse(clientIds: string[]) {
    const client = this.#client()
    const found = await Promise.all(
      [OAuthGrant, OAuthAuthCode, OAuthRefreshToken, OAuthAccessToken].map((model) =>
        client.from(model.table).distinct('client_id').whereIn('client_id', clientIds)
      )
    )
    return [...new Set(found.flat().map((row) => row.client_id as string))]
  }

  purge(now: number, familiesBefore: number) {
    return this.#purge.run(this.#client(), now, familiesBefore)
  }

  #family(trx: TransactionClientContract, familyId: string) {
    return this.#models.refreshToken
      .query({ client: trx })
      .where((member) => member.where('familyId', familyId).orWhere('id', familyId))
  }

  /** Runs a write with the statements that insert tokens, the access token's first, and the hooks of their models around it. */
  async #insert(
    { access, refresh }: IssuedRecords,
    write: (insertions: Guarded[]) => Promise<boolean>
  ): Promise<boolean> {
    const tokens = [
      {
        table: 'oauth_access_tokens',
        ...(await prepareRow(this.#models.accessToken, accessTokenRows.write(access))),
      },
    ]
    if (refresh) {
      tokens.push({
        table: 'oauth_refresh_tokens',
        ...(await prepareRow(this.#models.refreshToken, refreshTokenRows.write(refresh))),
      })
    }
    const isWritten = await write(
      tokens.map(
        ({ table, row }) =>
          (condition) =>
            insertion(table, row, condition)
      )
    )
    if (isWritten) {
      for (const token of tokens) {
        await token.inserted()
      }
    }
    return isWritten
  }

  /** Reads a row, and where one statement can read it too, the user. */
  async #find<Record>(
    lookup: RowLookup,
    rows: { read(row: Row): Record },
    value: string,
    users?: Users
  ): Promise<Found<Record> | null> {
    const found = await lookup.find(this.#client(), value, users)
    return found && { record: rows.read(found.row), user: found.user }
  }
}

const CODE_BY_HASH = new RowLookup({ table: 'oauth_auth_codes', key: 'code_hash' })
const ACCESS_BY_JTI = new RowLookup({ table: 'oauth_access_tokens', key: 'jti' })
const REFRESH_BY_HASH = new RowLookup({ table: 'oauth_refresh_tokens', key: 'token_hash' })
const REFRESH_BY_ACCESS = new RowLookup({ table: 'oauth_refresh_tokens', key: 'access_token_id' })

/** Taken before the family's lock, as by everybody. */
const LOCK_GRANT_OF_FAMILY = `
  SELECT 1 FROM oauth_grants
  WHERE id = (SELECT grant_id FROM oauth_refresh_tokens WHERE id = ?) FOR SHARE`

/** What is issued under a grant needs it alive. */
function underGrant(client: QueryClientContract, grantId: string | null) {
  return grantId === null
    ? { sql: '', bindings: [] }
    : { sql: `AND ${grantLives(client)}`, bindings: [grantId] }
}

/** A family is locked by the row of its first token. SQLite has one writer at a time. */
function lockOfFamily(client: QueryClientContract, member: RefreshTokenRecord) {
  return isPostgres(client)
    ? {
        sql: 'AND EXISTS (SELECT 1 FROM oauth_refresh_tokens WHERE id = ? FOR UPDATE)',
        bindings: [familyOf(member)],
      }
    : { sql: '', bindings: [] }
}
