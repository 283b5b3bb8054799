export interface Purge {
  /** What is purged, for messages: `expired sessions`. */
  name: string
  /** Seconds between two runs. */
  interval: number
  /** Deletes expired records and returns how many. It may stop early and leave the rest to the next run. */
  run(): Promise<number>
}

/** The purges of all features: one timer each per process, and `node ace auth:purge`. */
export class Purges {
  readonly #purges: Purge[] = []
  readonly #running = new Set<Purge>()
  #timers: NodeJS.Timeout[] = []

  add(purge: Purge): void {
    this.#purges.push(purge)
  }

  /** Starts the timers; they never keep the process alive. */
  start(onError: (name: string, error: unknown) => void): void {
    this.stop()
    this.#timers = this.#purges.map((purge) =>
      setInterval(() => {
        this.#runOnce(purge).catch((error) => onError(purge.name, error))
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

  /** A purge that takes longer than its interval is not started twice. */
  async #runOnce(purge: Purge) {
    if (this.#running.has(purge)) {
      return
    }
    this.#running.add(purge)
    try {
      await purge.run()
    } finally {
      this.#running.delete(purge)
    }
  }
}
