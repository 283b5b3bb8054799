/*
|--------------------------------------------------------------------------
| Commands that make files and tables
|--------------------------------------------------------------------------
|
| Models extend the classes of database/schema.ts, which migrations write. So
| the commands that migrate, and those that make files, cannot need these
| classes: they run with the providers of packages alone, without the
| application's own providers and preloads, which import models.
|
*/

import type { ApplicationService } from '@adonisjs/core/types'

import { reportFailedCommits } from 'adonis-auth-kit/database'

const BARE_COMMAND = /^((make|migration|schema):[\w-]+|db:(prepare|wipe))$/

/** Seeders use models and services. */
const SEEDS = '--seed'

/** The import of one of the application's own files, or of a provider of the kit, which imports models. */
const OWN_FILE = /import\(\s*['"](?:[#.]|adonis-auth-kit\/)/

/** Whether a command line makes files or tables, and needs nothing of the application. */
export function isBare(argv: string[]): boolean {
  return (
    BARE_COMMAND.test(argv.find((value) => !value.startsWith('-')) ?? '') && !argv.includes(SEEDS)
  )
}

/** Leaves the application's own providers and preloads out of an application that has not booted. */
export function withoutOwnCode(app: ApplicationService): void {
  app.booting(() => {
    app.rcFile.preloads = []
    app.rcFile.providers = app.rcFile.providers.filter(({ file }) => !OWN_FILE.test(String(file)))
  })
  /* AuthProvider does it elsewhere. A migration whose COMMIT has failed has failed. */
  void app.booted(async () => reportFailedCommits(await app.container.make('lucid.db')))
}
