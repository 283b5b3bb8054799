import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'

import { ExpiredRows, timeBudget } from '#database/expired_rows'
import { affectedRows, changeRows, insertRow, selectRows } from '#database/raw_query'
import { RowCodec, kindsOf, rowLookup } from '#database/raw_rows'
import { SessionSchema } from '#database/schema'
import type { DestroyedSession, OriginName, ProviderName } from '#auth/features'
import { hashSecret } from '#security/secrets'
import type { Users } from '#auth/users'
import Session from '#session/models/session'
import { type SessionChanges, applyChanges } from '#session/session_changes'
import type {
  FoundSession,
  ListedSession,
  SessionName,
  SessionRecord,
  SessionStore,
  WhichSessions,
} from '#session/store'
import { type Caller, UNKNOWN_CALLER } from '#http/device'

const NO_MEMBERS = ['id', 'ipAddress', 'userAgent', 'originSid', 'originSubject']
const sessionRows = new RowCodec<SessionRecord>({
  ...kindsOf<SessionRecord>(SessionSchema, NO_MEMBERS),
  ...({ data: 'json', login: 'json' } as const),
})

const findByKey = rowLookup({ table: 'sessions', key: 'id', rows: sessionRows })

/** Sessions in the table `sessions`, through the Lucid model `Session` or one that extends it. */
export class DatabaseSessionStore implements SessionStore {
  readonly #ended = new ExpiredRows({ table: 'sessions', key: 'id' })
  readonly #idle = new ExpiredRows({ table: 'sessions', key: 'id', column: 'last_activity' })

  constructor(
    protected client: () => QueryClientContract,
    protected model: typeof Session = Session
  ) {}

  read(key: string, users?: Users): Promise<FoundSession | null> {
    return findByKey(this.client(), key, users)
  }

  async create(key: string, record: SessionRecord, caller: Caller = UNKNOWN_CALLER) {
    await insertRow(this.client(), this.model, {
      id: key,
      ...record,
      ...caller,
      login: record.login && JSON.stringify(record.login),
      originSubject: digestOf(record.login?.origin, 'subject'),
      originSid: digestOf(record.login?.origin, 'sid'),
      data: JSON.stringify(record.data),
    })
  }

  /** Compare and set: when a concurrent update came first, this one is repeated on its result. */
  async patch(key: string, changes: SessionChanges, lastActivity: number, caller?: Caller) {
    if (!changes.length) {
      return this.#recordActivity(key, lastActivity, caller)
    }

    const activity = { lastActivity, ...caller }
    for (;;) {
      const session = await this.#query().where('id', key).select('data').first()
      if (!session) {
        return false
      }
      const data = JSON.stringify(applyChanges(JSON.parse(session.data), changes))
      if (await this.#update({ id: key, data: session.data }, { data, ...activity })) {
        return true
      }
    }
  }

  async rename(key: string, newKey: string) {
    return this.#update({ id: key }, { id: newKey })
  }

  async destroy(key: string) {
    return affectedRows(await this.#query().where('id', key).delete()) > 0
  }

  async listFor(userId: string, guards: string[]): Promise<ListedSession[]> {
    const rows = await this.#of(userId, guards)
      .select('id', 'login', 'createdAt', 'lastActivity', 'expiresAt', 'ipAddress', 'userAgent')
      .orderBy('last_activity', 'desc')
    return rows.map(({ $attributes }) => {
      const { id: key, login, ...listed } = $attributes
      return { ...(listed as Omit<ListedSession, 'key' | 'login'>), key, login: JSON.parse(login) }
    })
  }

  async destroyFor(userId: string, guards: string[], { only, except }: WhichSessions = {}) {
    return affectedRows(
      await this.#of(userId, guards)
        .if(only !== undefined, (query) => query.where(named(only!)))
        .if(except !== undefined, (query) => query.whereNot(named(except!)))
        .delete()
    )
  }

  async destroyFrom(name: OriginName | ProviderName) {
    const [where, bindings] = 'provider' in name ? ['1 = 1', []] : isFromSignIn(name)
    const from = loginsFrom('provider' in name ? name.provider : name.through)
    const sql = `DELETE FROM sessions WHERE ${where} AND login LIKE ? ESCAPE '!' RETURNING user_id, guard`
    const rows = await selectRows(this.client(), sql, [...bindings, from])
    return rows.map((row) => ({ userId: row.user_id, guard: row.guard }) as DestroyedSession)
  }

  async purge(now: number, idleSince: number | null) {
    const client = this.client()
    const isSpent = timeBudget()
    const ended = await this.#ended.purge(client, now, isSpent)
    const idle = idleSince === null ? 0 : await this.#idle.purge(client, idleSince, isSpent)
    return ended + idle
  }

  /** Requests of a busy second share a commit. */
  async #recordActivity(key: string, lastActivity: number, caller?: Caller): Promise<boolean> {
    const { ipAddress, userAgent } = caller ?? {}
    const rows = await changeRows(this.client(), {
      sql: `UPDATE sessions SET last_activity = ?${caller ? ', ip_address = ?, user_agent = ?' : ''}
        WHERE id = ? RETURNING 1 AS updated`,
      bindings: [lastActivity, ...(caller ? [ipAddress, userAgent] : []), key],
    })
    return rows.length > 0
  }

  #of(userId: string, guards: string[]) {
    return this.#query().where('userId', userId).whereIn('guard', guards)
  }

  #query() {
    return this.model.query({ client: this.client() })
  }

  async #update(where: { id: string; data?: string }, values: object) {
    return affectedRows(await this.#query().where(where).update(values)) > 0
  }
}

/** One condition on the row itself, so that a session whose id changes now is found. `login` is JSON that begins with it. */
function named(name: SessionName) {
  return (query: ModelQueryBuilderContract<typeof Session>) => {
    if ('key' in name) {
      return query.where('id', name.key)
    }
    const beginning = `{"sid":"${name.sid}"`
    return query.whereRaw(`substr(coalesce(login, ''), 1, ?) = ?`, [beginning.length, beginning])
  }
}

function isFromSignIn(name: OriginName): [string, unknown[]] {
  const subject = digestOf(name, 'subject')
  const sid = digestOf(name, 'sid')
  if (subject === null) {
    return ['origin_sid = ?', [sid]]
  }
  return sid === null
    ? ['origin_subject = ?', [subject]]
    : ['origin_subject = ? AND (origin_sid = ? OR origin_sid IS NULL)', [subject, sid]]
}

/** A pattern for `login`, which is JSON, where a quote inside a text is escaped. Alone it reads every session, but a provider goes seldom. */
function loginsFrom(provider: string | undefined): string {
  const name = JSON.stringify(provider)?.replace(/[!_%]/g, '!$&')
  return name ? `%"provider":${name}%` : '%'
}

/** Short enough for an index, whatever a provider calls its people and sessions. */
function digestOf(origin: OriginName | undefined, part: 'subject' | 'sid') {
  const name = origin?.[part] ?? null
  return origin && name !== null ? hashSecret(JSON.stringify([part, origin.issuer, name])) : null
}
