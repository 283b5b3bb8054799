import { isExpired } from '#support/expiry'
import { applyChanges } from '#session/session_changes'
import type { FoundSession, SessionChanges, SessionRecord, SessionStore } from '#session/types'

/** Sessions in the memory of the process, for tests and demos. */
export class MemorySessionStore implements SessionStore {
  readonly #records = new Map<string, SessionRecord>()

  read(key: string): FoundSession | null {
    const record = this.#records.get(key)
    return record ? { record: structuredClone(record) } : null
  }

  create(key: string, record: SessionRecord) {
    this.#records.set(key, structuredClone(record))
  }

  patch(key: string, changes: SessionChanges, lastActivity: number) {
    const record = this.#records.get(key)
    if (!record) {
      return false
    }
    record.data = applyChanges(record.data, changes)
    record.lastActivity = lastActivity
    return true
  }

  rename(key: string, newKey: string) {
    const record = this.#records.get(key)
    if (!record) {
      return false
    }
    this.#records.delete(key)
    this.#records.set(newKey, record)
    return true
  }

  destroy(key: string) {
    return this.#records.delete(key)
  }

  destroyFor(userId: string, guards: string[]) {
    return this.#deleteWhere(
      (record) => record.userId === userId && record.guard !== null && guards.includes(record.guard)
    )
  }

  purge(now: number, idleSince: number | null) {
    return this.#deleteWhere(
      (record) =>
        isExpired(record.expiresAt, now) || (idleSince !== null && record.lastActivity <= idleSince)
    )
  }

  #deleteWhere(matches: (record: SessionRecord) => boolean) {
    let deleted = 0
    for (const [key, record] of this.#records) {
      if (matches(record)) {
        this.#records.delete(key)
        deleted++
      }
    }
    return deleted
  }
}
