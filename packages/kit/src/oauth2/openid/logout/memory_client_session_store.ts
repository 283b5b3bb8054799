import type {
  ClientSessionRecord,
  ClientSessionStore,
} from '#oauth2/openid/logout/client_session_store'

/** Clients that hear of the end of sessions, in the memory of the process. */
export class MemoryClientSessionStore implements ClientSessionStore {
  readonly #records = new Map<string, ClientSessionRecord>()

  remember(record: ClientSessionRecord) {
    const key = keyOf(record)
    if (!this.#records.has(key)) {
      this.#records.set(key, { ...record })
    }
  }

  findLiving(userId: string) {
    return this.#where((record) => record.userId === userId && record.dueAt === null)
  }

  end(sids: string[], now: number) {
    this.#makeDue(({ sid }) => sids.includes(sid), now)
  }

  endExpired(now: number) {
    this.#makeDue(({ expiresAt }) => expiresAt <= now, now)
  }

  findDue(now: number, limit: number) {
    return this.#where(({ dueAt }) => dueAt !== null && dueAt <= now)
      .sort((one, other) => one.dueAt! - other.dueAt!)
      .slice(0, limit)
  }

  claim(record: ClientSessionRecord, nextAt: number) {
    const stored = this.#records.get(keyOf(record))
    if (!stored || stored.attempts !== record.attempts) {
      return false
    }
    stored.attempts++
    stored.dueAt = nextAt
    return true
  }

  delete(record: ClientSessionRecord) {
    this.#records.delete(keyOf(record))
  }

  #where(matches: (record: ClientSessionRecord) => boolean) {
    return [...this.#records.values()].filter(matches).map((record) => ({ ...record }))
  }

  #makeDue(matches: (record: ClientSessionRecord) => boolean, now: number) {
    for (const record of this.#records.values()) {
      if (record.dueAt === null && matches(record)) {
        record.dueAt = now
      }
    }
  }
}

function keyOf({ sid, clientId }: ClientSessionRecord) {
  return JSON.stringify([sid, clientId])
}
