import type { HttpResponse } from '@adonisjs/core/http'

import type { ErrorLog } from '#auth/types'

/** Work that a request leaves behind. A graceful shutdown waits for it. */
export class Background {
  readonly #running = new Set<Promise<void>>()
  readonly #logger: ErrorLog

  constructor(logger: ErrorLog) {
    this.#logger = logger
  }

  /**
   * Runs a task once the reply is out. A task that fails is logged.
   *
   * @param what what the task does, for the log: `send a password reset link`
   */
  afterReply(response: HttpResponse, what: string, task: () => Promise<void>): void {
    const running = new Promise<void>((resolve) => response.onFinish(() => resolve()))
      .then(task)
      .catch((error) => this.#logger.error({ err: error }, `Cannot ${what}`))
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Resolves when nothing is running any more. */
  async settled(): Promise<void> {
    while (this.#running.size) {
      await Promise.all(this.#running)
    }
  }
}
