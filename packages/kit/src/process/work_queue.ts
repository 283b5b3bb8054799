/** The queue has no room for another task, or the task would wait for too long. */
export class QueueFull extends Error {
  /** @param retryAfter seconds after which there should be room again */
  constructor(readonly retryAfter: number) {
    super('Too many tasks are waiting')
  }
}

interface WorkQueueOptions {
  concurrency: number
  maxWaiting: number
  /** Seconds that a task waits at most. Who would have to wait longer is turned away at once. */
  patience?: number
}

interface Waiting {
  since: number
  isWanted: () => boolean
  start: () => void
  refuse: (error: QueueFull) => void
}

/** Runs a few tasks at a time; the others wait in line, and the line has an end. */
export class WorkQueue {
  #waiting: Waiting[] = []
  #running = 0
  /** Seconds that a task took lately; 0 until one has ended. */
  #duration = 0

  constructor(private readonly options: WorkQueueOptions) {}

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /**
   * @param isWanted whether somebody still waits for the result: asked before the task starts
   * @throws {QueueFull} when too many wait, or it would wait for too long or is not wanted any more
   */
  async run<T>(task: () => Promise<T>, isWanted: () => boolean = () => true): Promise<T> {
    await this.#turn(isWanted)
    const start = performance.now()
    try {
      return await task()
    } finally {
      const seconds = (performance.now() - start) / 1000
      this.#duration = this.#duration === 0 ? seconds : this.#duration * 0.8 + seconds * 0.2
      this.#done()
    }
  }

  async #turn(isWanted: () => boolean) {
    if (!isWanted()) {
      throw this.#refusal()
    }
    const { concurrency, maxWaiting, patience = Infinity } = this.options
    if (this.#running < concurrency) {
      this.#running++
      return
    }
    const count = this.#waiting.length
    if (count >= maxWaiting || this.#secondsFor(count + 1) > patience) {
      throw this.#refusal()
    }
    await new Promise<void>((start, refuse) =>
      this.#waiting.push({ since: performance.now(), isWanted, start, refuse })
    )
  }

  #secondsFor(tasks: number) {
    return (tasks * this.#duration) / this.options.concurrency
  }

  #refusal() {
    return new QueueFull(Math.max(1, Math.ceil(this.#secondsFor(this.#waiting.length))))
  }

  /** The next task takes over the place of the one that has ended. */
  #done() {
    this.#sendAway()
    const next = this.#waiting.shift()
    next ? next.start() : this.#running--
  }

  /** Those whom nobody waits for, and those who came before it was known how long tasks take. */
  #sendAway() {
    const { patience = Infinity } = this.options
    const now = performance.now()
    const refusal = this.#refusal()
    let ahead = 0
    this.#waiting = this.#waiting.filter(({ since, isWanted, refuse }) => {
      const wait = (now - since) / 1000 + this.#secondsFor(ahead)
      const stays = isWanted() && wait <= patience
      stays ? ahead++ : refuse(refusal)
      return stays
    })
  }
}
