import type { HttpContext } from '@adonisjs/core/http'
import type { Limiter, LimiterManager } from '@adonisjs/limiter'

import { Throttled } from '#auth/errors'
import { hashSecret } from '#support/secrets'
import type { Throttle, ThrottledAction } from '#auth/throttle'
import { countedAddress } from '#throttle/address'
import type { Limit, ResolvedThrottleConfig } from '#throttle/define_config'

/** A limit as it applies to one caller. */
interface Counter {
  limiter: Limiter
  key: string
}

/** The `throttle` feature over AdonisJS's limiter, on whichever store it is configured with. */
export class LimiterThrottle implements Throttle {
  readonly #config: ResolvedThrottleConfig
  readonly #limiters: LimiterManager<any>

  constructor(config: ResolvedThrottleConfig, limiters: LimiterManager<any>) {
    this.#config = config
    this.#limiters = limiters
  }

  /** Judges before and after: of many attempts at once, those that come in late are refused too. */
  async guard<Result>(
    action: ThrottledAction,
    subject: string,
    ctx: HttpContext,
    attempt: () => Promise<Result | null>
  ): Promise<Result | null> {
    const counters = this.#counters(action, subject, ctx)
    await assertAllowed(counters)
    const result = await attempt()
    await (result === null ? count(counters) : assertAllowed(counters))
    return result
  }

  async penalize(action: ThrottledAction, subject: string | null, ctx: HttpContext): Promise<void> {
    await count(this.#counters(action, subject, ctx))
  }

  /**
   * The address comes first: once it has had too many, it makes no more keys,
   * so the names an attacker invents take no more room than its limit allows.
   */
  #counters(action: ThrottledAction, subject: string | null, { request }: HttpContext): Counter[] {
    const { perAddress, perSubjectAndAddress } = this.#config[action]
    const address = countedAddress(request.ip())
    const counters: Counter[] = []

    if (perAddress) {
      counters.push({ limiter: this.#limiter(perAddress), key: keyOf(action, address) })
    }
    if (perSubjectAndAddress && subject !== null) {
      counters.push({
        limiter: this.#limiter(perSubjectAndAddress),
        key: keyOf(action, address, subject),
      })
    }
    return counters
  }

  #limiter({ attempts, seconds }: Limit) {
    return this.#limiters.use({ requests: attempts, duration: seconds })
  }
}

/** Of one length and without anybody's e-mail, whatever was sent. */
function keyOf(action: ThrottledAction, ...parts: string[]) {
  return `${action}:${hashSecret(JSON.stringify(parts))}`
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

/** @throws {Throttled} when one of the limits had been used up before */
async function count(counters: Counter[]) {
  for (const { limiter, key } of counters) {
    const state = await limiter.increment(key)
    if (state.consumed > state.limit) {
      throw new Throttled(state.availableIn)
    }
  }
}
