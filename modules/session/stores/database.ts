import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { affectedRows, selectRows } from '#support/raw_query'
import type { UserJoin } from '#auth/user_providers/user_provider'
import type { Users } from '#auth/users'
import Session from '#session/models/session'
import { applyChanges } from '#session/changes'
import type { FoundSession, SessionChanges, SessionRecord, SessionStore } from '#session/types'

const COLUMNS =
  'sessions.user_id, sessions.guard, sessions.csrf_token, sessions.data, ' +
  'sessions.created_at, sessions.last_activity, sessions.expires_at'

/** Sessions in the table `sessions`, through the Lucid model `Session`. */
export class DatabaseSessionStore implements SessionStore {
  readonly #client: () => QueryClientContract

  /** @param client gives the connection that the table is on */
  constructor(client: () => QueryClientContract) {
    this.#client = client
  }

  async read(key: string, users?: Users): Promise<FoundSession | null> {
    const client = this.#client()
    const join = users ? await users.join(client) : null
    const [row] = await selectRows(client, selectSql(join), [key])

    if (!row) {
      return null
    }
    const record: SessionRecord = {
      userId: row.user_id as string | null,
      guard: row.guard as string | null,
      csrfToken: row.csrf_token as string,
      data: JSON.parse(row.data as string),
      createdAt: Number(row.created_at),
      lastActivity: Number(row.last_activity),
      expiresAt: Number(row.expires_at),
    }
    return join ? { record, user: join.hydrate(row) } : { record }
  }

  async create(key: string, record: SessionRecord) {
    await Session.create(
      { id: key, ...record, data: JSON.stringify(record.data) },
      { client: this.#client() }
    )
  }

  /** Compare and set: an update that lost to another one is made again on top of it. */
  async patch(key: string, changes: SessionChanges, lastActivity: number): Promise<boolean> {
    if (!changes.length) {
      return (await this.#update(key, { lastActivity })) > 0
    }

    for (;;) {
      const session = await this.#query().where('id', key).select('data').first()
      if (!session) {
        return false
      }
      const data = JSON.stringify(applyChanges(JSON.parse(session.data), changes))
      if ((await this.#update(key, { data, lastActivity }, session.data)) > 0) {
        return true
      }
    }
  }

  async rename(key: string, newKey: string) {
    return (await this.#update(key, { id: newKey })) > 0
  }

  async destroy(key: string) {
    return affectedRows(await this.#query().where('id', key).delete()) > 0
  }

  async destroyFor(userId: string, guards: string[]) {
    return affectedRows(
      await this.#query().where('userId', userId).whereIn('guard', guards).delete()
    )
  }

  async purge(now: number, idleSince: number | null) {
    const query = this.#query().where('expiresAt', '<=', now)
    if (idleSince !== null) {
      query.orWhere('lastActivity', '<=', idleSince)
    }
    return affectedRows(await query.delete())
  }

  #query() {
    return Session.query({ client: this.#client() })
  }

  async #update(
    key: string,
    values: { id?: string; data?: string; lastActivity?: number },
    expectedData?: string
  ) {
    const query = this.#query().where('id', key)
    if (expectedData !== undefined) {
      query.where('data', expectedData)
    }
    return affectedRows(await query.update(values))
  }
}

/** The statement every request with a session cookie passes, built once per join. */
const statements = new WeakMap<UserJoin, string>()
const plainStatement = `SELECT ${COLUMNS} FROM sessions WHERE sessions.id = ?`

function selectSql(join: UserJoin | null): string {
  if (!join) {
    return plainStatement
  }
  let sql = statements.get(join)
  if (!sql) {
    sql = `SELECT ${COLUMNS}, ${join.columns} FROM sessions ${join.clause('sessions.user_id')} WHERE sessions.id = ?`
    statements.set(join, sql)
  }
  return sql
}
