import type { Owner, SecurityLogRecord, SecurityLogStore, Selection } from '#security_log/types'

/** Security events in the memory of the process, for tests and demos. */
export class MemorySecurityLogStore implements SecurityLogStore {
  #records: SecurityLogRecord[] = []

  append(record: SecurityLogRecord) {
    this.#records.push(structuredClone(record))
  }

  latest(owner: Owner, limit: number, { offset = 0, only, except }: Selection = {}) {
    const matches = (record: SecurityLogRecord) =>
      isOf(owner, record) && (!only || only.includes(record.type)) && !except?.includes(record.type)
    return this.#newest(matches, offset + limit).slice(offset)
  }

  about(subject: string, limit: number) {
    return this.#newest(({ about }) => about === subject, limit)
  }

  #newest(matches: (record: SecurityLogRecord) => boolean, limit: number) {
    const newest = this.#records
      .filter(matches)
      .reverse()
      .sort((one, other) => other.createdAt - one.createdAt)
    return structuredClone(newest.slice(0, limit))
  }

  has(owner: Owner, types: string[]) {
    return this.#records.some((record) => isOf(owner, record) && types.includes(record.type))
  }

  forget(owner: Owner) {
    this.#records = this.#records.filter((record) => !isOf(owner, record))
  }

  purge(until: number) {
    const before = this.#records.length
    this.#records = this.#records.filter(({ createdAt }) => createdAt > until)
    return before - this.#records.length
  }
}

function isOf(owner: Owner, record: SecurityLogRecord) {
  return record.userId === owner.userId && record.provider === owner.provider
}
