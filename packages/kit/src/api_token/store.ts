import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'

import type { ContextMatch } from '#auth/credential_contexts'
import { isExpired, MemoryUsedRecords } from '#database/records'
import type { ApiTokenRepository, FoundToken, StoredToken } from '#api_token/token'
import { purging } from '#database/expired_rows'
import { modelOptions, recordLastUse, selectRows, within } from '#database/raw_query'
import { RowCodec, kindsOf, rowLookup } from '#database/raw_rows'
import { PersonalApiTokenSchema } from '#database/schema'
import { isStorable } from '#database/storable_text'
import { type Owner, type Users, isOwnedBy } from '#auth/users'
import PersonalApiToken from '#api_token/models/personal_api_token'

/** API tokens in the memory of the process, for tests and demos. */
export class MemoryApiTokenRepository implements ApiTokenRepository {
  readonly #tokens = new MemoryUsedRecords<StoredToken>(({ id }) => id)
  #lastId = 0

  create(token: Omit<StoredToken, 'id'>): string {
    const id = String(++this.#lastId)
    this.#tokens.insert(structuredClone({ ...token, id }))
    return id
  }

  find(id: string): FoundToken | null {
    const token = this.#tokens.find(id)
    return token && { token: structuredClone(token) }
  }

  listFor(userId: string, provider: string, now: number): StoredToken[] {
    const isLive = (token: StoredToken) =>
      isOwnedBy(token, { userId, provider }) && !isExpired(token.expiresAt, now)
    return structuredClone(this.#tokens.where(isLive))
  }

  delete(id: string): StoredToken | null {
    const token = this.#tokens.find(id)
    this.#tokens.delete(id)
    return token
  }

  deleteFor(userId: string, provider: string): StoredToken[] {
    return this.#tokens.deleteWhere((token) => isOwnedBy(token, { userId, provider }))
  }

  endWhere(owner: Owner, matches: ContextMatch) {
    this.#tokens.deleteWhere(
      (token) => isOwnedBy(token, owner) && token.context !== null && matches(token.context)
    )
  }

  recordUse(id: string, now: number, before: number): void {
    this.#tokens.recordUse(id, now, before)
  }

  purge(now: number): number {
    return this.#tokens.deleteWhere(({ expiresAt }) => isExpired(expiresAt, now)).length
  }
}

const TABLE = 'personal_api_tokens'

/** The hash is in the column `token`. */
type TokenRow = Omit<StoredToken, 'hash'> & { token: string }

const tokenRows = new RowCodec<TokenRow>({
  ...kindsOf<TokenRow>(PersonalApiTokenSchema),
  id: 'text',
})

const { columns } = tokenRows
const findById = rowLookup({ table: TABLE, key: 'id', rows: { columns, read: toToken } })
/** A number that the column can hold, without leading zeros: a token has one spelling. */
const ID = /^[1-9][0-9]{0,17}$/

/** API tokens in the table `personal_api_tokens`, through the Lucid model `PersonalApiToken` or one that extends it. */
export class DatabaseApiTokenRepository implements ApiTokenRepository {
  readonly purge = purging(() => this.client(), { table: TABLE, key: 'id' })

  constructor(
    protected client: () => QueryClientContract,
    protected model: typeof PersonalApiToken = PersonalApiToken
  ) {}

  async create({ hash, ...token }: Omit<StoredToken, 'id'>) {
    const row = await this.model.create({ ...token, token: hash }, modelOptions(this.client()))
    return String(row.id)
  }

  async find(id: string, users: Users): Promise<FoundToken | null> {
    if (!ID.test(id)) {
      return null
    }
    const found = await findById(this.client(), id, users)
    return found && { token: found.record, user: found.user }
  }

  async listFor(userId: string, provider: string, now: number) {
    if (!isStorable(userId)) {
      return []
    }
    const own = this.model.query({ client: this.client() }).where({ userId, provider })
    const live = own.where((query) => query.whereNull('expiresAt').orWhere('expiresAt', '>', now))
    const rows = await live.orderBy(['createdAt', 'id']).pojo<Record<string, unknown>>()
    return rows.map(toToken)
  }

  async delete(id: string) {
    if (!ID.test(id)) {
      return null
    }
    const [token] = await this.#deleteReturning('id = ?', [id])
    return token ?? null
  }

  async deleteFor(userId: string, provider: string) {
    return isStorable(userId)
      ? this.#deleteReturning('user_id = ? AND provider = ?', [userId, provider])
      : []
  }

  async endWhere(owner: Owner, matches: ContextMatch, trx: TransactionClientContract) {
    const client = within(trx, this.client())
    const rows = await this.model.query({ client }).where(owner).whereNotNull('context')
    const ended = rows.filter(({ context }) => matches(context!)).map(({ id }) => id)
    await this.model.query({ client }).whereIn('id', ended).delete()
  }

  async recordUse(id: string, now: number, before: number) {
    await recordLastUse(this.client(), { table: TABLE, key: 'id' }, id, now, before)
  }

  /** Lucid's query builder cannot return what it deletes. */
  async #deleteReturning(condition: string, bindings: unknown[]) {
    const sql = `DELETE FROM ${TABLE} WHERE ${condition} RETURNING ${columns.join(', ')}`
    const rows = await selectRows(this.client(), sql, bindings)
    return rows.map(toToken)
  }
}

function toToken(row: Record<string, unknown>): StoredToken {
  const { id, token: hash, ...others } = tokenRows.read(row)
  return { ...others, id: String(id), hash }
}
