/*
|--------------------------------------------------------------------------
| Shared by the three entry points
|--------------------------------------------------------------------------
*/

import { existsSync } from 'node:fs'

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

/** Said in a clone that was never started, beside the variables that are missing. */
const FIRST_START = ' There is no .env yet: "npm run dev" writes it, and makes the database.'

/** Starts the application. If it cannot start, prints one sentence and exits with code 1. */
export async function start(ignitor: Ignitor, run: (ignitor: Ignitor) => Promise<unknown>) {
  ignitor.tap((app) => {
    app.booting(async () => {
      /* Checked before commands run, because they would print a stack trace. */
      await import('#start/env').catch((error) => {
        const hasFile = existsSync(new URL('.env', APP_ROOT))
        const isFresh = !hasFile && process.env.NODE_ENV !== 'production'
        return report(error, isFresh ? FIRST_START : '')
      })
    })

    /*
     * Console commands keep Node's default signal handling: a listener here would
     * leave the development server running.
     */
    if (app.getEnvironment() !== 'console') {
      endOnSignals(app)
    }
  })

  await run(ignitor).catch((error) => report(error))
}

async function report(error: unknown, advice = ''): Promise<never> {
  const sentence = explain(error)
  if (sentence) {
    process.stderr.write(`${sentence}${advice}\n`)
  } else {
    await prettyPrintError(error)
  }
  process.exit(1)
}
