import { RuntimeException } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'
import type { Limiter, LimiterManager } from '@adonisjs/limiter'

import { Throttled } from '#auth/errors'
import { hashSecret } from '#security/secrets'
import type { Throttle, ThrottledAction } from '#auth/throttle'
import { countedAddress } from '#http/counted_address'
import type { ActionLimits, Limit, ResolvedThrottleConfig } from '#throttle/define_config'
import { type DeviceStamp, findKnownDevice, rememberDevice } from '#auth/known_device'
import type { MaybePromise } from '#process/maybe_promise'

/** A limit and the key that it counts one caller by. */
interface Counter {
  limiter: Limiter
  key: string
}

/** The `throttle` feature over AdonisJS's limiter, on whichever store it is configured with. */
export class LimiterThrottle implements Throttle {
  readonly #config: ResolvedThrottleConfig
  readonly #limiters: LimiterManager<any>
  readonly #memory: MemoryCounts | null

  /** @param memory bounds what the store "memory" keeps */
  constructor(
    config: ResolvedThrottleConfig,
    limiters: LimiterManager<any>,
    memory: MemoryCounts = new MemoryCounts()
  ) {
    this.#config = config
    this.#limiters = limiters
    this.#memory = limiters.config.default === 'memory' ? memory : null
  }

  /** Checks before and after: of many attempts at once, those that come in late are refused too. */
  async attempt<Result>(
    action: ThrottledAction,
    subject: string,
    ctx: HttpContext,
    run: () => Promise<Result | null>,
    stamps?: () => MaybePromise<readonly DeviceStamp[]>
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

  trustDevice(
    action: ThrottledAction,
    subject: string,
    ctx: HttpContext,
    stamp?: DeviceStamp
  ): void {
    rememberDevice(action, subject, ctx, stamp)
  }

  async #counters(
    action: ThrottledAction,
    subject: string | null,
    ctx: HttpContext,
    stamps?: () => MaybePromise<readonly DeviceStamp[]>
  ): Promise<Counter[]> {
    const address = countedAddress(ctx.request.ip())
    if (subject === null) {
      return this.#countersFor(action, { perAddress: [address] })
    }
    const device = await findKnownDevice(action, subject, ctx, stamps)
    return device === null
      ? this.#countersOfStranger(action, subject, address)
      : this.#countersOfDevice(action, subject, device)
  }

  /** @throws {Throttled} when one of the limits had been used up before */
  async #count(action: ThrottledAction, counters: Counter[]) {
    for (const { limiter, key } of counters) {
      const state = await limiter.increment(key)
      await this.#memory?.keep(action, limiter, key)
      if (state.consumed > state.limit) {
        throw new Throttled(state.availableIn)
      }
    }
  }

  /**
   * The address comes first: once its limit is used up it adds no more keys, so
   * the names an attacker invents take no more room than the limit allows.
   */
  #countersOfStranger(action: ThrottledAction, subject: string, address: string) {
    return this.#countersFor(action, {
      perAddress: [address],
      perSubjectAndAddress: [address, subject],
      perSubject: [subject],
    })
  }

  /**
   * A known device has the limits of its user to itself. No failure of another
   * caller, not even one behind the same address, uses them up.
   */
  #countersOfDevice(action: ThrottledAction, subject: string, device: string) {
    return this.#countersFor(action, {
      perSubjectAndAddress: [subject, { device }],
      perSubject: [subject, { device }],
    })
  }

  /** The limits that are set, each with the key that it counts by. */
  #countersFor(
    action: ThrottledAction,
    keys: Partial<Record<keyof ActionLimits, unknown[]>>
  ): Counter[] {
    const limits = this.#config[action]
    if (!limits) {
      throw new RuntimeException(`ThrottleConfig: there are no limits for "${action}"`)
    }
    return Object.entries(keys).flatMap(([kind, parts]) => {
      const limit = limits[kind as keyof ActionLimits]
      return limit ? [{ limiter: this.#limiter(limit), key: keyOf(action, kind, parts) }] : []
    })
  }

  #limiter({ attempts, seconds }: Limit) {
    return this.#limiters.use({ requests: attempts, duration: seconds })
  }
}

/** All keys have one length and hold nobody's e-mail, whatever was sent. */
function keyOf(action: ThrottledAction, kind: string, parts: unknown[]) {
  return `${action}:${hashSecret(JSON.stringify([kind, ...parts]))}`
}

/** @throws {Throttled} when one of the limits is used up */
async function assertAllowed(counters: Counter[]) {
  for (const { limiter, key } of counters) {
    const state = await limiter.get(key)
    if (state && state.consumed >= state.limit) {
      throw new Throttled(state.availableIn)
    }
  }
}

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
