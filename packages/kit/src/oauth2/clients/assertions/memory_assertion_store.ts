import type { AssertionStore } from '#oauth2/clients/assertions/assertion_store'

/** Used assertions of this process. */
export class MemoryAssertionStore implements AssertionStore {
  readonly #used = new Map<string, number>()

  get size(): number {
    return this.#used.size
  }

  use(digest: string, expiresAt: number): boolean {
    const isNew = !this.#used.has(digest)
    if (isNew) {
      this.#used.set(digest, expiresAt)
    }
    return isNew
  }

  purge(now: number): void {
    for (const [digest, expiresAt] of this.#used) {
      if (expiresAt <= now) {
        this.#used.delete(digest)
      }
    }
  }
}
