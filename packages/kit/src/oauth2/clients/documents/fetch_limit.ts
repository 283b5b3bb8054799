const WINDOW = 60_000

/** At most so many fetches in any minute, for all clients together and in this process. */
export class FetchLimit {
  #starts: number[] = []

  constructor(protected perMinute: number) {}

  /** Counts a fetch that starts now; 0 when it may start, or else the seconds until one may. */
  take(now: number = Date.now()): number {
    this.#starts = this.#starts.filter((start) => start > now - WINDOW)
    if (this.#starts.length < this.perMinute) {
      this.#starts.push(now)
      return 0
    }
    return Math.ceil((this.#starts[0]! + WINDOW - now) / 1000)
  }
}
