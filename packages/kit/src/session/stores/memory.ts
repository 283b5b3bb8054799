import type { OriginName, ProviderName } from '#auth/features'
import type { LoginOrigin } from '#auth/guards/guard'
import { isExpired } from '#database/expiry'
import { applyChanges } from '#session/session_changes'
import type {
  FoundSession,
  ListedSession,
  SessionChanges,
  SessionName,
  SessionRecord,
  SessionStore,
  WhichSessions,
} from '#session/types'
import { type Caller, UNKNOWN_CALLER } from '#http/device'

/** Sessions in the memory of the process, for tests and demos. */
export class MemorySessionStore implements SessionStore {
  readonly #rows = new Map<string, { record: SessionRecord; caller: Caller }>()

  read(key: string): FoundSession | null {
    const row = this.#rows.get(key)
    return row ? { record: structuredClone(row.record) } : null
  }

  create(key: string, record: SessionRecord, caller: Caller = UNKNOWN_CALLER) {
    this.#rows.set(key, { record: structuredClone(record), caller })
  }

  patch(key: string, changes: SessionChanges, lastActivity: number, caller?: Caller) {
    const row = this.#rows.get(key)
    if (!row) {
      return false
    }
    row.record.data = applyChanges(row.record.data, changes)
    row.record.lastActivity = lastActivity
    row.caller = caller ?? row.caller
    return true
  }

  rename(key: string, newKey: string) {
    const row = this.#rows.get(key)
    if (!row) {
      return false
    }
    this.#rows.set(newKey, row)
    return this.destroy(key)
  }

  destroy(key: string) {
    return this.#rows.delete(key)
  }

  listFor(userId: string, guards: string[]): ListedSession[] {
    return [...this.#rows]
      .filter(([, { record }]) => isOf(userId, guards, record))
      .map(([key, { record, caller }]) => {
        const { login, createdAt, lastActivity, expiresAt } = record
        return { key, login, createdAt, lastActivity, expiresAt, ...caller }
      })
      .sort((one, other) => other.lastActivity - one.lastActivity)
  }

  destroyFor(userId: string, guards: string[], { only, except }: WhichSessions = {}) {
    const destroyed = this.#take(
      (record, key) =>
        isOf(userId, guards, record) &&
        (only === undefined || isNamed(only, record, key)) &&
        (except === undefined || !isNamed(except, record, key))
    )
    return destroyed.length
  }

  destroyFrom(name: OriginName | ProviderName) {
    const destroyed = this.#take(({ login }) => isFrom(name, login?.origin))
    return destroyed.map(({ userId, guard }) => ({ userId, guard }))
  }

  purge(now: number, idleSince: number | null) {
    const isOver = ({ expiresAt, lastActivity }: SessionRecord) =>
      isExpired(expiresAt, now) || (idleSince !== null && lastActivity <= idleSince)
    return this.#take(isOver).length
  }

  #take(matches: (record: SessionRecord, key: string) => boolean): SessionRecord[] {
    const taken = [...this.#rows].filter(([key, { record }]) => matches(record, key))
    taken.forEach(([key]) => this.destroy(key))
    return taken.map(([, { record }]) => record)
  }
}

function isFrom(name: OriginName | ProviderName, origin: LoginOrigin | undefined) {
  if ('provider' in name) {
    return origin?.provider === name.provider
  }
  const { issuer, subject, sid } = name
  return (
    origin?.issuer === issuer &&
    (subject === null || origin.subject === subject) &&
    (sid === null || origin.sid === sid || (subject !== null && origin.sid === null))
  )
}

const isNamed = (name: SessionName, { login }: SessionRecord, key: string) =>
  'sid' in name ? login?.sid === name.sid : key === name.key

const isOf = (id: string, guards: string[], { userId, guard }: SessionRecord) =>
  userId === id && guard !== null && guards.includes(guard)
