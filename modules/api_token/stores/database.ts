import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { affectedRows, selectRows } from '#support/raw_query'
import type { UserJoin } from '#auth/user_providers/user_provider'
import type { Users } from '#auth/users'
import PersonalApiToken from '#api_token/models/personal_api_token'
import type { ApiTokenRepository, FoundToken, StoredToken } from '#api_token/types'

const TABLE = 'personal_api_tokens'
const COLUMNS = [
  'id',
  'user_id',
  'provider',
  'name',
  'token',
  'abilities',
  'last_used_at',
  'expires_at',
  'created_at',
]

/** What the column can hold, spelled in the one way that we spell it. */
const ID = /^[1-9][0-9]{0,17}$/

/** PostgreSQL cannot store it in a text and fails the statement, so no user is named so. */
const NUL = '\0'

/** API tokens in the table `personal_api_tokens`, through the Lucid model `PersonalApiToken`. */
export class DatabaseApiTokenRepository implements ApiTokenRepository {
  readonly #client: () => QueryClientContract

  /** @param client gives the connection that the table is on */
  constructor(client: () => QueryClientContract) {
    this.#client = client
  }

  async create({ hash, ...token }: Omit<StoredToken, 'id'>) {
    const row = await PersonalApiToken.create({ ...token, token: hash }, { client: this.#client() })
    return String(row.id)
  }

  async find(id: string, users: Users): Promise<FoundToken | null> {
    if (!ID.test(id)) {
      return null
    }
    const client = this.#client()
    const join = await users.join(client)
    const [row] = await selectRows(client, findSql(join), [id])
    if (!row) {
      return null
    }
    return join ? { token: toToken(row), user: join.hydrate(row) } : { token: toToken(row) }
  }

  async listFor(userId: string, provider: string, now: number) {
    if (userId.includes(NUL)) {
      return []
    }
    const rows = await this.#query()
      .where({ userId, provider })
      .where((query) => query.whereNull('expiresAt').orWhere('expiresAt', '>', now))
      .orderBy('createdAt')
      .orderBy('id')
      .pojo<Record<string, unknown>>()
    return rows.map(toToken)
  }

  async delete(id: string) {
    if (!ID.test(id)) {
      return null
    }
    const [token] = await this.#delete('id = ?', [id])
    return token ?? null
  }

  async deleteFor(userId: string, provider: string) {
    if (userId.includes(NUL)) {
      return []
    }
    return this.#delete('user_id = ? AND provider = ?', [userId, provider])
  }

  async recordUse(id: string, now: number, before: number) {
    await this.#query()
      .where('id', id)
      .where((query) => query.whereNull('lastUsedAt').orWhere('lastUsedAt', '<=', before))
      .update({ lastUsedAt: now })
  }

  async purge(now: number) {
    return affectedRows(await this.#query().where('expiresAt', '<=', now).delete())
  }

  /** Lucid's query builder cannot return what it deletes. */
  async #delete(condition: string, bindings: unknown[]) {
    const sql = `DELETE FROM ${TABLE} WHERE ${condition} RETURNING ${columns}`
    const rows = await selectRows(this.#client(), sql, bindings)
    return rows.map(toToken)
  }

  #query() {
    return PersonalApiToken.query({ client: this.#client() })
  }
}

/** The statement every request with a token passes, built once per join. */
const statements = new WeakMap<UserJoin, string>()
const columns = COLUMNS.map((column) => `${TABLE}.${column}`).join(', ')
const plainStatement = `SELECT ${columns} FROM ${TABLE} WHERE ${TABLE}.id = ?`

function findSql(join: UserJoin | null): string {
  if (!join) {
    return plainStatement
  }
  let sql = statements.get(join)
  if (!sql) {
    sql = `SELECT ${columns}, ${join.columns} FROM ${TABLE} ${join.clause(`${TABLE}.user_id`)} WHERE ${TABLE}.id = ?`
    statements.set(join, sql)
  }
  return sql
}

function toToken(row: Record<string, unknown>): StoredToken {
  const instant = (value: unknown) => (value === null ? null : Number(value))
  return {
    id: String(row.id),
    userId: row.user_id as string,
    provider: row.provider as string,
    name: row.name as string | null,
    hash: row.token as string,
    abilities: JSON.parse(row.abilities as string),
    lastUsedAt: instant(row.last_used_at),
    expiresAt: instant(row.expires_at),
    createdAt: Number(row.created_at),
  }
}
