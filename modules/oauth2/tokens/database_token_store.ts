import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'

import { modelOptions } from '#support/model_client'
import { affectedRows, selectRows } from '#support/raw_query'
import { RowLookup } from '#support/row_lookup'
import type { Users } from '#auth/users'
import OAuthAccessToken from '#oauth2/models/oauth_access_token'
import OAuthAuthCode from '#oauth2/models/oauth_auth_code'
import OAuthRefreshToken from '#oauth2/models/oauth_refresh_token'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import { OrmClientRepository } from '#oauth2/clients/orm_client_repository'
import { TokenPurge } from '#oauth2/tokens/database_purge'
import {
  fromAccessToken,
  fromRefreshToken,
  toAccessToken,
  toAuthorizationCode,
  toRefreshToken,
} from '#oauth2/tokens/token_rows'
import {
  type AuthorizationCodeRecord,
  type Found,
  type IssuedRecords,
  type RefreshTokenRecord,
  type TokenOwner,
  type TokenStore,
  type UserKey,
  familyOf,
} from '#oauth2/tokens/token_store'

/**
 * Tokens in the tables `oauth_access_tokens`, `oauth_refresh_tokens` and
 * `oauth_auth_codes`.
 *
 * A family is locked by the row of its first refresh token, a code by its own
 * row. On PostgreSQL the lock is `FOR UPDATE`, taken before anything else; a
 * statement after it sees all that its former holder has written. SQLite has
 * one writer at a time, so there the first statement of a transaction writes:
 * reading first could end in SQLITE_BUSY.
 */
export class DatabaseTokenStore implements TokenStore {
  readonly #client: () => QueryClientContract
  readonly #purge = new TokenPurge()

  /** @param client gives the connection that the tables are on */
  constructor(client: () => QueryClientContract) {
    this.#client = client
  }

  async insertCode(code: AuthorizationCodeRecord) {
    await OAuthAuthCode.create(code, modelOptions(this.#client()))
  }

  findCode(codeHash: string, users?: Users) {
    return this.#find(CODE_BY_HASH, toAuthorizationCode, codeHash, users)
  }

  redeemCode(codeId: string, issued: IssuedRecords, now: number) {
    return this.#client().transaction(async (trx) => {
      const redeemed = await OAuthAuthCode.query({ client: trx })
        .where('id', codeId)
        .whereNull('redeemedAt')
        .whereNull('revokedAt')
        .update({ redeemedAt: now, accessTokenId: issued.access.jti })
      if (!affectedRows(redeemed)) {
        return false
      }
      await insert(trx, issued)
      return true
    })
  }

  async insertTokens(issued: IssuedRecords) {
    await this.#inTransaction(issued, (client) => insert(client, issued))
  }

  /**
   * Whether the client is revoked is decided by the insertion itself. On
   * PostgreSQL a share lock on the client's row makes a revocation wait for it.
   */
  insertUnlessRevoked(issued: IssuedRecords, clients: ClientRepository) {
    const isHere =
      clients instanceof OrmClientRepository &&
      clients.connectionName === this.#client().connectionName
    return isHere
      ? this.#inTransaction(issued, (client) => insertUnlessRevoked(client, issued))
      : null
  }

  findAccessToken(jti: string, users?: Users) {
    return this.#find(ACCESS_BY_JTI, toAccessToken, jti, users)
  }

  findRefreshToken(tokenHash: string, users?: Users) {
    return this.#find(REFRESH_BY_HASH, toRefreshToken, tokenHash, users)
  }

  async findRefreshTokenOf(jti: string) {
    const found = await this.#find(REFRESH_BY_ACCESS, toRefreshToken, jti)
    return found?.record ?? null
  }

  /**
   * On PostgreSQL the compare-and-set takes the family's lock by itself, which
   * saves a round trip: a row that changed while it waited is judged anew.
   */
  rotate(
    current: RefreshTokenRecord,
    issued: IssuedRecords,
    now: number,
    rotatedSince: number | null
  ) {
    return this.#client().transaction(async (trx) => {
      const rotated = await OAuthRefreshToken.query({ client: trx })
        .where('id', current.id)
        .whereNull('revokedAt')
        .where((query) =>
          query
            .whereNull('rotatedAt')
            .if(rotatedSince !== null, (recent) => recent.orWhere('rotatedAt', '>', rotatedSince!))
        )
        .if(isPostgres(trx), (query) =>
          query.whereRaw('EXISTS (SELECT 1 FROM oauth_refresh_tokens WHERE id = ? FOR UPDATE)', [
            familyOf(current),
          ])
        )
        .update({ rotatedAt: trx.raw('COALESCE(rotated_at, ?)', [now]) })
      if (!affectedRows(rotated)) {
        return false
      }
      await insert(trx, issued)
      await OAuthAccessToken.query({ client: trx })
        .where('jti', current.accessTokenId)
        .whereNull('revokedAt')
        .update({ revokedAt: now })
      return true
    })
  }

  async revokeFamily(familyId: string, now: number) {
    await this.#client().transaction(async (trx) => {
      if (isPostgres(trx)) {
        await OAuthRefreshToken.query({ client: trx }).where('id', familyId).forUpdate()
      }
      await family(trx, familyId).whereNull('revokedAt').update({ revokedAt: now })
      await OAuthAccessToken.query({ client: trx })
        .whereIn('jti', family(trx, familyId).select('accessTokenId'))
        .whereNull('revokedAt')
        .update({ revokedAt: now })
    })
  }

  async revokeAccessToken(jti: string, now: number) {
    const refresh = await this.findRefreshTokenOf(jti)
    if (refresh) {
      return this.revokeFamily(familyOf(refresh), now)
    }
    await OAuthAccessToken.query({ client: this.#client() })
      .where('jti', jti)
      .whereNull('revokedAt')
      .update({ revokedAt: now })
  }

  /**
   * Codes come first: whoever is redeeming one holds its row, and what comes
   * of it is seen by the statements after.
   */
  async revokeAll(owner: TokenOwner, now: number) {
    await this.#client().transaction(async (trx) => {
      const codes = () => OAuthAuthCode.query({ client: trx }).where(owner)
      const refresh = () => OAuthRefreshToken.query({ client: trx }).where(owner)
      const access = () => OAuthAccessToken.query({ client: trx }).where(owner).whereNull('name')

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
    await OAuthAccessToken.query({ client: this.#client() })
      .where(user)
      .whereNotNull('name')
      .whereNull('revokedAt')
      .update({ revokedAt: now })
  }

  async listAccessTokens(user: UserKey, { personal }: { personal: boolean }) {
    const query = OAuthAccessToken.query({ client: this.#client() }).where(user)
    return (personal ? query.whereNotNull('name') : query.whereNull('name')).orderBy([
      { column: 'createdAt', order: 'desc' },
      { column: 'jti' },
    ])
  }

  purge(now: number, familiesBefore: number) {
    return this.#purge.run(this.#client(), now, familiesBefore)
  }

  /** One row needs no transaction. */
  #inTransaction<Result>(
    { refresh }: IssuedRecords,
    write: (client: QueryClientContract) => Promise<Result>
  ): Promise<Result> {
    const client = this.#client()
    return refresh ? client.transaction(write) : write(client)
  }

  /** Reads a row, and where one statement can read it too, the user. */
  async #find<Record>(
    lookup: RowLookup,
    toRecord: (row: any) => Record,
    value: string,
    users?: Users
  ): Promise<Found<Record> | null> {
    const found = await lookup.find(this.#client(), value, users)
    return found && { record: toRecord(found.row), user: found.user }
  }
}

const CODE_BY_HASH = new RowLookup({ table: 'oauth_auth_codes', key: 'code_hash' })
const ACCESS_BY_JTI = new RowLookup({ table: 'oauth_access_tokens', key: 'jti' })
const REFRESH_BY_HASH = new RowLookup({ table: 'oauth_refresh_tokens', key: 'token_hash' })
const REFRESH_BY_ACCESS = new RowLookup({ table: 'oauth_refresh_tokens', key: 'access_token_id' })

function isPostgres(client: QueryClientContract) {
  return client.dialect.name === 'postgres'
}

function family(trx: TransactionClientContract, familyId: string) {
  return OAuthRefreshToken.query({ client: trx }).where((member) =>
    member.where('familyId', familyId).orWhere('id', familyId)
  )
}

async function insert(client: QueryClientContract, { access, refresh }: IssuedRecords) {
  await insertRow(client, 'oauth_access_tokens', fromAccessToken(access))
  if (refresh) {
    await insertRow(client, 'oauth_refresh_tokens', fromRefreshToken(refresh))
  }
}

async function insertUnlessRevoked(
  client: QueryClientContract,
  { access, refresh }: IssuedRecords
): Promise<boolean> {
  const inserted = await insertRow(client, 'oauth_access_tokens', fromAccessToken(access), {
    sql: `EXISTS (
      SELECT 1 FROM oauth_clients WHERE id = ? AND NOT revoked ${isPostgres(client) ? 'FOR SHARE' : ''}
    )`,
    bindings: [access.clientId],
  })
  if (inserted && refresh) {
    await insertRow(client, 'oauth_refresh_tokens', fromRefreshToken(refresh))
  }
  return inserted
}

/**
 * Inserts a row bypassing the query builder; every token request passes here.
 *
 * @param condition the row is inserted only if it holds
 * @returns whether it was inserted
 */
async function insertRow(
  client: QueryClientContract,
  table: string,
  row: Record<string, unknown>,
  condition?: { sql: string; bindings: unknown[] }
): Promise<boolean> {
  const columns = Object.keys(row)
  const values = columns.map(() => '?').join(', ')
  const inserted = await selectRows(
    client,
    `INSERT INTO "${table}" (${columns.join(', ')}) ${
      condition ? `SELECT ${values} WHERE ${condition.sql}` : `VALUES (${values})`
    } RETURNING 1 AS inserted`,
    [...Object.values(row), ...(condition?.bindings ?? [])]
  )
  return inserted.length > 0
}
