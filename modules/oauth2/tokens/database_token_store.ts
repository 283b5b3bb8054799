import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'

import { affectedRows } from '#support/raw_query'
import { RowLookup } from '#support/row_lookup'
import type { Users } from '#auth/users'
import OAuthAccessToken from '#oauth2/models/oauth_access_token'
import OAuthAuthCode from '#oauth2/models/oauth_auth_code'
import OAuthRefreshToken from '#oauth2/models/oauth_refresh_token'
import { purgeTokens } from '#oauth2/tokens/database_purge'
import { toAccessToken, toAuthorizationCode, toRefreshToken } from '#oauth2/tokens/token_rows'
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

  /** @param client gives the connection that the tables are on */
  constructor(client: () => QueryClientContract) {
    this.#client = client
  }

  async insertCode(code: AuthorizationCodeRecord) {
    await OAuthAuthCode.create(code, { client: this.#client() })
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

  /** One row needs no transaction. */
  async insertTokens(issued: IssuedRecords) {
    await (issued.refresh
      ? this.#client().transaction((trx) => insert(trx, issued))
      : insert(this.#client(), issued))
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
    return purgeTokens(this.#client(), now, familiesBefore)
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
  await OAuthAccessToken.create(access, { client })
  if (refresh) {
    await OAuthRefreshToken.create(refresh, { client })
  }
}
