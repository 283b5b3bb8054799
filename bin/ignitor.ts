/*
|--------------------------------------------------------------------------
| Shared by the three entry points
|--------------------------------------------------------------------------
*/

import { type Ignitor, prettyPrintError } from '@adonisjs/core'

import { endOnSignals, explain } from 'adonis-auth-kit/process'

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
      endOnSignals(app)
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
