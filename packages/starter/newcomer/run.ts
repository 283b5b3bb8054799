/*
|--------------------------------------------------------------------------
| .ci/rehearse_newcomer
|--------------------------------------------------------------------------
|
|   node --import=@poppinss/ts-exec packages/starter/newcomer/run.ts FOLDER
|
| FOLDER holds a fresh copy of the project, without history and without
| dependencies. The README's commands are run in it, under the machine's Node.js on
| SQLite and under Node.js 24 on PostgreSQL; then databases of the first release, with
| rows in every table, are brought to this version.
|
*/

import { dirname } from 'node:path'

import { environment } from '#starter/helpers/execute'
import { type OwnDatabase, createPostgres, createSqlite } from '#starter/helpers/own_database'
import { step } from '#starter/helpers/steps'

import { firstHour, runsTests } from './first_hour.js'
import { upgrade } from './upgrade.js'

const [folder = ''] = process.argv.slice(2)
const machine = environment({ PATH: process.env.MACHINE_PATH! })
const bundled = environment()

/** Databases are dropped also when something fails. */
async function using(database: OwnDatabase | null, work: (found: OwnDatabase) => Promise<unknown>) {
  if (!database) {
    process.stdout.write('  No PostgreSQL answers: its part is left out.\n')
    return
  }
  try {
    await work(database)
  } finally {
    await database.drop()
  }
}

process.stdout.write(`  Node.js 24: ${dirname(process.execPath)}\n`)
await using(createSqlite(folder, 'first_hour'), ({ env }) =>
  step("The README, with the machine's Node.js on SQLite", () =>
    firstHour(folder, { ...machine, ...env })
  )
)
await step('A test file', () => runsTests(folder, machine))
await using(await createPostgres('newcomer'), ({ env }) =>
  step('The README, with Node.js 24 on PostgreSQL', () => firstHour(folder, { ...bundled, ...env }))
)
await using(createSqlite(folder, 'first_release'), (database) =>
  step('The first release on SQLite is upgraded', () => upgrade(folder, database))
)
await using(await createPostgres('first_release'), (database) =>
  step('The first release on PostgreSQL is upgraded', () => upgrade(folder, database))
)
