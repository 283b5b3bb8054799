import type { HttpContext } from '@adonisjs/core/http'

import { TemporarilyUnavailable } from '#auth/errors'
import { assertOr } from '#process/assert_or'
import { ServerPart } from '#oauth2/server_part'

const WINDOW = 60_000

/** Milliseconds for which what was fetched is used, whatever its cache headers say. @param maxAge seconds */
export const freshFor = (maxAge: number): number => Math.min(Math.max(maxAge, 300), 86_400) * 1000

/** The part of a minute's fetches that is kept for addresses that have not asked yet. */
const RESERVE = 1 / 4

/** Limits the fetches of this process in any minute. */
export class FetchLimit {
  #starts: { at: number; address: string | null }[] = []

  constructor(protected perMinute: number) {}

  /** Counts a fetch for the person at an address; 0 when it may start, or else the seconds until one may. */
  take(address: string | null = null, now: number = Date.now()): number {
    this.#starts = this.#starts.filter(({ at }) => at > now - WINDOW)
    const isFirst = address !== null && this.#starts.every((start) => start.address !== address)
    const allowed = this.perMinute - (isFirst ? 0 : Math.floor(this.perMinute * RESERVE))
    if (this.#starts.length < allowed) {
      this.#starts.push({ at: now, address })
      return 0
    }
    const over = this.#starts[this.#starts.length - allowed]!
    return Math.ceil((over.at + WINDOW - now) / 1000)
  }
}

/** What clients have behind URLs: each is fetched once at a time. */
export class Fetches<Fetched> extends ServerPart {
  readonly #running = new Map<string, Promise<Fetched>>()
  readonly #limit = new FetchLimit(this.server.config.clientDocuments.fetchesPerMinute)

  /** Joins the running fetch of a URL, or starts one, which counts for `ctx`. @throws {Throttled} after too many */
  async join(url: string, ctx: HttpContext | null, fetch: () => Promise<Fetched>) {
    if (ctx && !this.#running.has(url)) {
      await this.server.manager.feature('throttle')?.penalize('clientDocuments', null, ctx)
    }
    const running = this.#running.get(url) ?? fetch().finally(() => this.#running.delete(url))
    this.#running.set(url, running)
    return running
  }

  /** @throws {TemporarilyUnavailable} unless another fetch may start in this minute */
  take(address: string | null = null): void {
    const wait = this.#limit.take(address)
    assertOr(wait === 0, TemporarilyUnavailable, wait)
  }
}
