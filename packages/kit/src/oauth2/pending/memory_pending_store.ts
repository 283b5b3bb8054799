import type { PendingRecord, PendingStore } from '#oauth2/pending/pending_store'

/** Authorization requests that wait in the process. */
export class MemoryPendingStore implements PendingStore {
  readonly #pending = new Map<string, PendingRecord>()

  get size(): number {
    return this.#pending.size
  }

  insert(record: PendingRecord): void {
    this.#pending.set(record.handleHash, { ...record })
  }

  find(handleHash: string): PendingRecord | null {
    const record = this.#pending.get(handleHash)
    return record ? { ...record } : null
  }

  take(handleHash: string): boolean {
    return this.#pending.delete(handleHash)
  }

  purge(now: number): void {
    for (const [handleHash, { expiresAt }] of this.#pending) {
      if (expiresAt <= now) {
        this.#pending.delete(handleHash)
      }
    }
  }
}
