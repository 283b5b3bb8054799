/*
|--------------------------------------------------------------------------
| Shared by the three entry points
|--------------------------------------------------------------------------
*/

import { type Ignitor, prettyPrintError } from '@adonisjs/core'

/**
 * URL to the application root. AdonisJS needs it to resolve paths to files and
 * directories.
 */
export const APP_ROOT = new URL('../', import.meta.url)

/** Imports files in context of the application. */
export const IMPORTER = (filePath: string) => {
  if (filePath.startsWith('./') || filePath.startsWith('../')) {
    return import(new URL(filePath, APP_ROOT).href)
  }
  return import(filePath)
}

/** One sentence for an error that can be fixed without reading a stack trace, or null. */
function explain(error: unknown): string | null {
  const { code, message, help, address, port } = error as Record<string, unknown>
  switch (code) {
    case 'E_INVALID_ENV_VARIABLES':
      return `The environment is not complete or not valid: ${String(help)
        .split('\n')
        .map((line) => line.replace(/^\W+/, '').trim())
        .filter(Boolean)
        .join('; ')}. Correct .env (see .env.example).`
    case 'EADDRINUSE':
      return `Cannot listen on ${address}:${port}: the port is in use. Set another PORT in the environment.`
    case 'EACCES':
    case 'EROFS':
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_READONLY':
      return `Cannot write where the application keeps its files: ${message}.`
    default:
      return null
  }
}

/** Starts the application. If it cannot start, prints one sentence and exits with code 1. */
export async function start(ignitor: Ignitor, run: (ignitor: Ignitor) => Promise<unknown>) {
  ignitor.tap((app) => {
    app.booting(async () => {
      /* Checked before commands run, because they would print a stack trace. */
      await import('#start/env').catch(report)
    })

    /*
     * Console commands keep Node's default signal handling: a listener here would
     * leave the development server running.
     */
    if (app.getEnvironment() !== 'console') {
      app.listen('SIGTERM', () => void app.terminate())
      app.listen('SIGINT', () => void app.terminate())
    }
  })

  await run(ignitor).catch(report)
}

async function report(error: unknown): Promise<never> {
  const sentence = explain(error)
  if (sentence) {
    process.stderr.write(`${sentence}\n`)
  } else {
    await prettyPrintError(error)
  }
  process.exit(1)
}
