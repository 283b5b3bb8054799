/** The queue has no room for another task. */
export class QueueFull extends Error {
  /** @param retryAfter seconds after which there should be room again */
  constructor(readonly retryAfter: number) {
    super('Too many tasks are waiting')
  }
}

/** Runs a few tasks at a time; the others wait in line, and the line has an end. */
export class WorkQueue {
  readonly #concurrency: number
  readonly #maxWaiting: number
  readonly #waiting: (() => void)[] = []
  #running = 0
  /** Seconds that a task took lately. */
  #duration = 0

  constructor(options: { concurrency: number; maxWaiting: number }) {
    this.#concurrency = options.concurrency
    this.#maxWaiting = options.maxWaiting
  }

  /** @throws {QueueFull} when too many tasks are waiting; whatever the task throws */
  async run<T>(task: () => Promise<T>): Promise<T> {
    await this.#turn()
    const start = performance.now()
    try {
      return await task()
    } finally {
      this.#duration = (performance.now() - start) / 1000
      this.#done()
    }
  }

  async #turn() {
    if (this.#running < this.#concurrency) {
      this.#running++
      return
    }
    if (this.#waiting.length >= this.#maxWaiting) {
      const drained = (this.#waiting.length * this.#duration) / this.#concurrency
      throw new QueueFull(Math.max(1, Math.ceil(drained)))
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** The next task takes over the place of the one that has ended. */
  #done() {
    const next = this.#waiting.shift()
    if (next) {
      next()
    } else {
      this.#running--
    }
  }
}
