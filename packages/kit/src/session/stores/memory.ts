import type { OriginName, ProviderName } from '#auth/features'
import type { LoginOrigin } from '#auth/guards/guard'
import { isExpired, MemoryRecords } from '#database/records'
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

type Row = { key: string; record: SessionRecord; caller: Caller }

/** Sessions in the memory of the process, for tests and demos. */
export class MemorySessionStore implements SessionStore {
  readonly #rows = new MemoryRecords<Row>(({ key }) => key)

  read(key: string): FoundSession | null {
    const row = this.#rows.find(key)
    return row && { record: structuredClone(row.record) }
  }

  create(key: string, record: SessionRecord, caller: Caller = UNKNOWN_CALLER) {
    this.#rows.insert({ key, record: structuredClone(record), caller })
  }

  patch(key: string, changes: SessionChanges, lastActivity: number, caller?: Caller) {
    const row = this.#rows.find(key)
    if (row) {
      const data = applyChanges(row.record.data, changes)
      const record = { ...row.record, data, lastActivity }
      this.#rows.insert({ key, record, caller: caller ?? row.caller })
    }
    return row !== null
  }

  rename(key: string, newKey: string) {
    const row = this.#rows.find(key)
    row && this.#rows.insert({ ...row, key: newKey })
    return this.destroy(key)
  }

  destroy(key: string) {
    return this.#rows.delete(key)
  }

  listFor(userId: string, guards: string[]): ListedSession[] {
    const rows = this.#rows.where(({ record }) => isOf(userId, guards, record))
    return rows
      .map(({ key, record: { login, createdAt, lastActivity, expiresAt }, caller }) => {
        return { key, login, createdAt, lastActivity, expiresAt, ...caller }
      })
      .sort((one, other) => other.lastActivity - one.lastActivity)
  }

  destroyFor(userId: string, guards: string[], { only, except }: WhichSessions = {}) {
    return this.#rows.deleteWhere(
      (row) =>
        isOf(userId, guards, row.record) &&
        (only === undefined || isNamed(only, row)) &&
        (except === undefined || !isNamed(except, row))
    )
  }

  destroyFrom(name: OriginName | ProviderName) {
    const isDestroyed = ({ record: { login } }: Row) => isFrom(name, login?.origin)
    const destroyed = this.#rows.where(isDestroyed)
    this.#rows.deleteWhere(isDestroyed)
    return destroyed.map(({ record: { userId, guard } }) => ({ userId, guard }))
  }

  purge(now: number, idleSince: number | null) {
    return this.#rows.deleteWhere(
      ({ record: { expiresAt, lastActivity } }) =>
        isExpired(expiresAt, now) || (idleSince !== null && lastActivity <= idleSince)
    )
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

const isNamed = (name: SessionName, { key, record }: Row) =>
  'sid' in name ? record.login?.sid === name.sid : key === name.key

const isOf = (id: string, guards: string[], { userId, guard }: SessionRecord) =>
  userId === id && guard !== null && guards.includes(guard)
