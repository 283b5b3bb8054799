import type { PushedRecord, PushedStore } from '#oauth2/par/pushed_store'

/** Pushed requests that wait in the process. */
export class MemoryPushedStore implements PushedStore {
  readonly #pushed = new Map<string, PushedRecord>()

  get size(): number {
    return this.#pushed.size
  }

  insert(record: PushedRecord): void {
    this.#pushed.set(record.uriHash, { ...record })
  }

  find(uriHash: string): PushedRecord | null {
    const record = this.#pushed.get(uriHash)
    return record ? { ...record } : null
  }

  extend(uriHash: string, expiresAt: number): void {
    const record = this.#pushed.get(uriHash)
    if (record) {
      record.expiresAt = expiresAt
    }
  }

  take(uriHash: string): boolean {
    return this.#pushed.delete(uriHash)
  }

  purge(now: number): void {
    for (const [uriHash, { expiresAt }] of this.#pushed) {
      if (expiresAt <= now) {
        this.#pushed.delete(uriHash)
      }
    }
  }
}
