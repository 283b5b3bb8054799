import type { ApplicationService } from '@adonisjs/core/types'

/** Milliseconds. Running requests have a minute, and what follows them a few seconds. */
const LIMIT = 64_000

/** Milliseconds after which nothing that was forgotten keeps the process. */
const GRACE = 500

/**
 * Ends the application on SIGTERM and SIGINT, and the process when that is done: a timer, connection or pool that
 * somebody left open must not keep it.
 */
export function endOnSignals(
  app: Pick<ApplicationService, 'listen' | 'terminate'>,
  { limit = LIMIT, grace = GRACE, exit = (code?: number): unknown => process.exit(code) } = {}
): void {
  let ending: Promise<void> | undefined

  async function end() {
    /* Neither timer keeps the process alive: as a rule nothing does, and it ends by itself. */
    setTimeout(() => {
      process.stderr.write(`The application did not end within ${limit / 1000} seconds.\n`)
      exit(1)
    }, limit).unref()
    try {
      await app.terminate()
    } catch (error) {
      /* As a rule a server that does not answer, which was told that the connection ends. */
      process.stderr.write(`The application ended with an error: ${(error as Error).message}\n`)
      exit(1)
    }
    setTimeout(exit, grace).unref()
  }

  const endOnce = () => void (ending ??= end())
  app.listen('SIGTERM', endOnce)
  app.listen('SIGINT', endOnce)
}
