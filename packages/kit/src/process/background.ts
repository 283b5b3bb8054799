import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import type { HttpResponse } from '@adonisjs/core/http'

import { onResponseEnd } from '#http/response_end'

/** Logs failures of background work; AdonisJS's logger is one. */
export type ErrorLog = { error(details: { err: unknown }, message: string): void }

/** Bounds of the random delay between a reply and the background work, in milliseconds. */
const EARLIEST = 100
const LATEST = 1000

/** Work that goes on after the reply to a request. A graceful shutdown waits for it. */
export class Background {
  /** Milliseconds that a reply is waited for: its caller can keep it behind another one on their connection. */
  patience = 10_000
  readonly #running = new Set<Promise<void>>()
  #hurry = new AbortController()

  constructor(protected readonly logger: ErrorLog) {}

  /**
   * Runs a task after the reply, with a random delay: without it the caller's next request would tell by its time how
   * much work there was. Failures are logged.
   * @param what the task does, for the log message: `send a password reset link`
   */
  afterReply(response: HttpResponse, what: string, task: () => Promise<void>): void {
    const running = new Promise<void>((resolve) => {
      setTimeout(resolve, this.patience).unref()
      onResponseEnd(response, resolve)
    })
      .then(() => sleep(randomInt(EARLIEST, LATEST), undefined, { signal: this.#hurry.signal }))
      .catch(() => {})
      .then(task)
      .catch((error) => this.logger.error({ err: error }, `Cannot ${what}`))
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Starts all delayed tasks now; resolves when every task has finished. */
  async settled(): Promise<void> {
    while (this.#running.size) {
      this.#hurry.abort()
      await Promise.all(this.#running)
    }
    this.#hurry = new AbortController()
  }
}
