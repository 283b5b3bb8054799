import type { HttpContext } from '@adonisjs/core/http'
import type { Limiter, LimiterManager } from '@adonisjs/limiter'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { Throttled } from '#auth/errors'
import { assertRuntime } from '#config/checks'
import { purging } from '#database/expired_rows'
import { assertOr } from '#process/assert_or'
import { hashSecret } from '#security/secrets'
import type { Throttle, ThrottledAction } from '#auth/throttle'
import { countedAddress } from '#http/public_address'
import type { ActionLimits, ResolvedThrottleConfig } from '#throttle/define_config'
import { type Stamps, findKnownDevice, rememberDevice } from '#auth/known_device'

/** A limit and the key that it counts one caller by. */
type Counter = { limiter: Limiter; key: string }

/** The `throttle` feature over AdonisJS's limiter, on whichever store it is configured with. */
export class LimiterThrottle implements Throttle {
  readonly trustDevice = rememberDevice
  readonly #memory: MemoryCounts | null

  /** @param memory bounds what the store "memory" keeps */
  constructor(
    protected config: ResolvedThrottleConfig,
    protected limiters: LimiterManager<any>,
    memory: MemoryCounts = new MemoryCounts()
  ) {
    this.#memory = limiters.config.default === 'memory' ? memory : null
  }

  /** Checks before and after: of many attempts at once, those that come in late are refused too. */
  async attempt<Result>(
    action: ThrottledAction,
    subject: string,
    ctx: HttpContext,
    run: () => Promise<Result | null>,
    stamps?: Stamps
  ): Promise<Result | null> {
    const counters = await this.#counters(action, subject, ctx, stamps)
    await assertAllowed(counters)
    const result = await run()
    await (result === null ? this.#count(action, counters) : assertAllowed(counters))
    return result
  }

  async penalize(action: ThrottledAction, subject: string | null, ctx: HttpContext): Promise<void> {
    await this.#count(action, await this.#counters(action, subject, ctx))
  }

  async #counters(
    action: ThrottledAction,
    subject: string | null,
    ctx: HttpContext,
    stamps?: Stamps
  ): Promise<Counter[]> {
    const address = countedAddress(ctx.request.ip())
    if (subject === null) {
      return this.#countersFor(action, { perAddress: [address] })
    }
    const device = await findKnownDevice(action, subject, ctx, stamps)
    if (device !== null) {
      /* No failure of another caller, even behind the same address, uses up the limits of a device. */
      const key = [subject, { device }]
      return this.#countersFor(action, { perSubjectAndAddress: key, perSubject: key })
    }
    /* The address comes first: once its limit is used up, invented names add no more keys. */
    return this.#countersFor(action, {
      perAddress: [address],
      perSubjectAndAddress: [address, subject],
      perSubject: [subject],
    })
  }

  /** @throws {Throttled} when one of the limits had been used up before */
  async #count(action: ThrottledAction, counters: Counter[]) {
    for (const { limiter, key } of counters) {
      const state = await limiter.increment(key)
      await this.#memory?.keep(action, limiter, key)
      assertOr(state.consumed <= state.limit, Throttled, state.availableIn)
    }
  }

  /** The limits that are set, each with the key that it counts by. */
  #countersFor(action: ThrottledAction, keys: { [Kind in keyof ActionLimits]: unknown[] }) {
    const limits = this.config[action]
    assertRuntime(limits, `ThrottleConfig: there are no limits for "${action}"`)
    return Object.entries(keys).flatMap(([kind, parts]) => {
      const limit = limits[kind as keyof ActionLimits]
      if (!limit) {
        return []
      }
      const limiter = this.limiters.use({ requests: limit.attempts, duration: limit.seconds })
      /* All keys have one length and hold nobody's e-mail, whatever was sent. */
      return { limiter, key: `${action}:${hashSecret(JSON.stringify([kind, ...parts]))}` }
    })
  }
}

async function assertAllowed(counters: Counter[]) {
  for (const { limiter, key } of counters) {
    const state = await limiter.get(key)
    assertOr(!state || state.consumed < state.limit, Throttled, state?.availableIn ?? 0)
  }
}

/** Deletes expired counts of the limiter's database store, whose instants are epoch milliseconds. */
export const purgingCounts = (client: () => QueryClientContract) =>
  purging(client, { table: 'rate_limits', key: 'key', column: 'expire' })

/** Counts of one action. About half a kilobyte each. */
const LIMIT = 50_000

/**
 * Bounds the counts of a store in memory, each action's by itself: failures of one kind push out
 * none of another. The count that is oldest makes room: who can fail from many addresses can make
 * it forget, so several processes and big applications count in a database or in Redis.
 */
export class MemoryCounts {
  readonly #actions = new Map<ThrottledAction, Map<string, Limiter>>()

  constructor(protected limit: number = LIMIT) {}

  async keep(action: ThrottledAction, limiter: Limiter, key: string): Promise<void> {
    const counts = this.#actions.get(action) ?? new Map<string, Limiter>()
    this.#actions.set(action, counts)
    counts.delete(key)
    counts.set(key, limiter)
    if (counts.size > this.limit) {
      const [oldest, its] = counts.entries().next().value!
      counts.delete(oldest)
      await its.delete(oldest)
    }
  }
}
