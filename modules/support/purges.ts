export interface Purge {
  /** What is purged, in words: `expired sessions`. */
  name: string
  /** Seconds between two runs. */
  interval: number
  /** Deletes what has expired and returns how many records went. */
  run(): Promise<number>
}

/** The purges of all features: one timer each per process, and `node ace auth:purge`. */
export class Purges {
  readonly #purges: Purge[] = []
  #timers: NodeJS.Timeout[] = []

  add(purge: Purge): void {
    this.#purges.push(purge)
  }

  /** Starts the timers; they never keep the process alive. */
  start(onError: (name: string, error: unknown) => void): void {
    this.stop()
    this.#timers = this.#purges.map((purge) =>
      setInterval(() => {
        purge.run().catch((error) => onError(purge.name, error))
      }, purge.interval * 1000).unref()
    )
  }

  stop(): void {
    this.#timers.forEach((timer) => clearInterval(timer))
    this.#timers = []
  }

  /** Runs every purge now and returns how many records each deleted. */
  async run(): Promise<{ name: string; deleted: number }[]> {
    const results = []
    for (const purge of this.#purges) {
      results.push({ name: purge.name, deleted: await purge.run() })
    }
    return results
  }
}
