import type { Limiter } from '@adonisjs/limiter'

import type { ThrottledAction } from '#auth/throttle'

/** Counts of one action. About half a kilobyte each. */
const LIMIT = 50_000

/**
 * Bounds the counts of a store in memory, which has no limit but their expiry. Each action
 * has its own bound, so that failures of one kind push out none of another. Within an action
 * the one that was counted longest ago makes room: who can fail from many addresses can make
 * it forget, so several processes and big applications count in a database or in Redis.
 */
export class MemoryCounts {
  readonly #actions = new Map<ThrottledAction, Map<string, Limiter>>()
  readonly #limit: number

  constructor(limit: number = LIMIT) {
    this.#limit = limit
  }

  /** Called after each count. */
  async keep(action: ThrottledAction, limiter: Limiter, key: string): Promise<void> {
    const counts = this.#of(action)
    counts.delete(key)
    counts.set(key, limiter)
    if (counts.size > this.#limit) {
      const [oldest, its] = counts.entries().next().value!
      counts.delete(oldest)
      await its.delete(oldest)
    }
  }

  #of(action: ThrottledAction): Map<string, Limiter> {
    const counts = this.#actions.get(action) ?? new Map<string, Limiter>()
    this.#actions.set(action, counts)
    return counts
  }
}
