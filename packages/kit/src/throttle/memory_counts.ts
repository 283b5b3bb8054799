import type { Limiter } from '@adonisjs/limiter'

/** About half a kilobyte each. */
const LIMIT = 50_000

/**
 * Bounds the counts of a store in memory, which has no limit but their expiry.
 * The one that was counted longest ago makes room: whoever wants a count to be
 * forgotten needs so many addresses, each of which has its own limit anyway.
 */
export class MemoryCounts {
  readonly #limiters = new Map<string, Limiter>()
  readonly #limit: number

  constructor(limit: number = LIMIT) {
    this.#limit = limit
  }

  /** Called after each count. */
  async keep(limiter: Limiter, key: string): Promise<void> {
    this.#limiters.delete(key)
    this.#limiters.set(key, limiter)
    if (this.#limiters.size > this.#limit) {
      const [oldest, its] = this.#limiters.entries().next().value!
      this.#limiters.delete(oldest)
      await its.delete(oldest)
    }
  }
}
