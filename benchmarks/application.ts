/*
| The application of a benchmark, booted on a database of its own: a run disturbs
| nobody who uses the test database meanwhile, and waits for nobody.
*/

import { rmSync } from 'node:fs'

const FILE = `tmp/benchmark_${process.pid}.sqlite3`

process.env.NODE_ENV = 'test'
process.env.LOG_LEVEL = 'silent'
process.env.SQLITE_FILE = FILE
process.env.WORKSPACES_COMMON = 'true'
await import('reflect-metadata')

const { Ignitor } = await import('@adonisjs/core')
const { APP_ROOT, IMPORTER } = await import('../bin/ignitor.js')

const ignitor = new Ignitor(APP_ROOT, { importer: IMPORTER }).tap((application) => {
  application.booting(async () => {
    await import('#start/env')
  })
})

export const app = ignitor.createApp('console')
await app.init()
await app.boot()
await app.start(() => {})

/** Brings the database up to date; until then nothing has connected to it. */
export async function migrate() {
  const { default: db } = await import('@adonisjs/lucid/services/db')
  const { MigrationRunner } = await import('@adonisjs/lucid/migration')
  const runner = new MigrationRunner(db, app, { direction: 'up', dryRun: false })
  await runner.run()
  if (runner.error) {
    throw runner.error
  }
}

/** Ends the application, and removes the database when it is a file. */
export async function close() {
  await app.terminate()
  for (const suffix of ['', '-wal', '-shm']) {
    const name = FILE.replace('.sqlite3', `_test.sqlite3${suffix}`)
    rmSync(app.makePath(name), { force: true })
  }
}
