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
  readonly #records = new Map<string, SessionRecord>()
  readonly #callers = new Map<string, Caller>()

  read(key: string): FoundSession | null {
    const record = this.#records.get(key)
    return record ? { record: structuredClone(record) } : null
  }

  create(key: string, record: SessionRecord, caller: Caller = UNKNOWN_CALLER) {
    this.#records.set(key, structuredClone(record))
    this.#callers.set(key, caller)
  }

  patch(key: string, changes: SessionChanges, lastActivity: number, caller?: Caller) {
    const record = this.#records.get(key)
    if (!record) {
      return false
    }
    record.data = applyChanges(record.data, changes)
    record.lastActivity = lastActivity
    if (caller) {
      this.#callers.set(key, caller)
    }
    return true
  }

  rename(key: string, newKey: string) {
    const record = this.#records.get(key)
    if (!record) {
      return false
    }
    this.#records.set(newKey, record)
    this.#callers.set(newKey, this.#callers.get(key)!)
    this.destroy(key)
    return true
  }

  destroy(key: string) {
    this.#callers.delete(key)
    return this.#records.delete(key)
  }

  listFor(userId: string, guards: string[]): ListedSession[] {
    return [...this.#records]
      .filter(([, record]) => isOf(userId, guards, record))
      .map(([key, { login, createdAt, lastActivity, expiresAt }]) => ({
        key,
        login,
        createdAt,
        lastActivity,
        expiresAt,
        ...this.#callers.get(key)!,
      }))
      .sort((one, other) => other.lastActivity - one.lastActivity)
  }

  destroyFor(userId: string, guards: string[], { only, except }: WhichSessions = {}) {
    return this.#deleteWhere(
      (record, key) =>
        isOf(userId, guards, record) &&
        (only === undefined || isNamed(only, record, key)) &&
        (except === undefined || !isNamed(except, record, key))
    )
  }

  destroyFrom(name: OriginName | ProviderName) {
    const found = [...this.#records].filter(([, { login }]) => isFrom(name, login?.origin))
    found.forEach(([key]) => this.destroy(key))
    return found.map(([, { userId, guard }]) => ({ userId, guard }))
  }

  purge(now: number, idleSince: number | null) {
    return this.#deleteWhere(
      (record) =>
        isExpired(record.expiresAt, now) || (idleSince !== null && record.lastActivity <= idleSince)
    )
  }

  #deleteWhere(matches: (record: SessionRecord, key: string) => boolean) {
    let deleted = 0
    for (const [key, record] of this.#records) {
      if (matches(record, key)) {
        this.destroy(key)
        deleted++
      }
    }
    return deleted
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

function isNamed(name: SessionName, { login }: SessionRecord, key: string) {
  return 'sid' in name ? login?.sid === name.sid : key === name.key
}

function isOf(userId: string, guards: string[], record: SessionRecord) {
  return record.userId === userId && record.guard !== null && guards.includes(record.guard)
}
