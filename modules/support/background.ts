import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import type { HttpResponse } from '@adonisjs/core/http'

/** Where failures go that no caller waits for: AdonisJS's logger is one. */
export interface ErrorLog {
  error(details: { err: unknown }, message: string): void
}

/** Milliseconds between a reply and the work that it left behind. */
const EARLIEST = 100
const LATEST = 1000

/** Work that a request leaves behind. A graceful shutdown waits for it. */
export class Background {
  readonly #running = new Set<Promise<void>>()
  readonly #logger: ErrorLog
  #hurry = new AbortController()

  constructor(logger: ErrorLog) {
    this.#logger = logger
  }

  /**
   * Runs a task after the reply is out, at a moment that nobody can foresee:
   * work that began at once would slow down the caller's next request, and a
   * stopwatch would tell how much there was to do. A task that fails is logged.
   *
   * @param what what the task does, for the log: `send a password reset link`
   */
  afterReply(response: HttpResponse, what: string, task: () => Promise<void>): void {
    const running = new Promise<void>((resolve) => response.onFinish(() => resolve()))
      .then(() => this.#wait())
      .then(task)
      .catch((error) => this.#logger.error({ err: error }, `Cannot ${what}`))
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Lets what is waiting begin now, and resolves when nothing is left to do. */
  async settled(): Promise<void> {
    while (this.#running.size) {
      this.#hurry.abort()
      await Promise.all(this.#running)
    }
    this.#hurry = new AbortController()
  }

  async #wait() {
    await sleep(randomInt(EARLIEST, LATEST), undefined, { signal: this.#hurry.signal }).catch(
      () => {}
    )
  }
}
