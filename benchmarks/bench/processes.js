/*
|--------------------------------------------------------------------------
| What do more processes give?
|--------------------------------------------------------------------------
|
|   node benchmarks/bench/processes.js [processes,…]      default 1,2,4
|
| This application on PostgreSQL (DB_HOST, DB_USER, DB_DATABASE, default
| app_bench, whose tables are made anew) in so many processes at once, each with
| its own load. Needs a build, and the packages of this folder ("npm ci").
|
*/

import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

import { ours } from './contestants/ours.js'
import { measure, open } from './lib/measure.js'
import { freePort, start, stopAll } from './lib/server.js'

const counts = (process.argv[2] ?? '1,2,4').split(',').map(Number)
const names = ['W1', 'W2r', 'W3', 'W4', 'W6']
const folder = mkdtempSync(join(tmpdir(), 'processes-'))

process.on('exit', stopAll)
process.on('SIGINT', () => process.exit(130))

const first = ours('pg')
const prepare = first.start.bind(first)
let command
first.start = (where) => (command = { ...prepare(where), core: null })
await open(first, folder)

/* The others share its tables, its people and the issuer of its tokens. */
const all = [first]
while (all.length < Math.max(...counts)) {
  const port = await freePort()
  const server = await start(command, { port, log: join(folder, 'servers.log') })
  all.push({ ...first, ...server, name: `process ${all.length + 1}` })
}

process.stdout.write(`${availableParallelism()} cores; requests a second\n`)
for (const name of names) {
  const rates = []
  for (const count of counts) {
    const cells = []
    for (const contestant of all.slice(0, count)) {
      const people = first.signedIn.map((person) => ({ ...person }))
      cells.push(
        measure({ ...contestant, signedIn: people }, name, { duration: 3000, warmup: 300 })
      )
    }
    const measured = await Promise.all(cells)
    rates.push(measured.reduce((sum, { rate }) => sum + rate, 0))
  }
  const figures = rates.map((rate, index) => `${counts[index]}: ${rate.toFixed(0)}`)
  process.stdout.write(`${name.padEnd(4)} ${figures.join('   ')}\n`)
}
stopAll()
rmSync(folder, { recursive: true, force: true })
process.exit(0)
