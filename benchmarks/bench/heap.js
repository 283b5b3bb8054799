/*
|--------------------------------------------------------------------------
| Does the heap grow?
|--------------------------------------------------------------------------
|
|   node benchmarks/bench/heap.js [minutes]      default 2
|
| Mixed load on this application, and its heap after a full collection about
| every fifteen seconds. Ends with code 1 when the last third of the figures is more than a tenth
| above the third before. Needs a build, and the packages of this folder ("npm ci").
|
*/

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { ours } from './contestants/ours.js'
import { measure, open } from './lib/measure.js'
import { stopAll } from './lib/server.js'

const minutes = Number(process.argv[2] ?? 2)
const names = ['W1', 'W2r', 'W2c', 'W3', 'W4', 'W5', 'W6', 'M1', 'M2', 'J1', 'J2', 'P1']
const folder = mkdtempSync(join(tmpdir(), 'heap-'))
const figures = join(folder, 'figures')

process.on('exit', stopAll)
process.on('SIGINT', () => process.exit(130))
const contestant = ours('sqlite')
const start = contestant.start.bind(contestant)
contestant.start = (where) => {
  const { args, env, ...command } = start(where)
  const reporter = fileURLToPath(new URL('lib/report_heap.js', import.meta.url))
  return {
    ...command,
    args: ['--expose-gc', '--import', reporter, ...args],
    env: { ...env, FIGURES: figures },
  }
}
await open(contestant, folder)

const read = () => {
  try {
    return readFileSync(figures, 'utf8').trim().split('\n').map(Number)
  } catch {
    return []
  }
}

async function heap() {
  const before = read().length
  process.kill(contestant.pid, 'SIGUSR2')
  while (read().length === before) {
    await sleep(50)
  }
  return read().at(-1)
}

const heaps = []
const end = Date.now() + minutes * 60_000
while (Date.now() < end || heaps.length < 6) {
  for (const name of names) {
    await measure(contestant, name, { duration: 1000, warmup: 50 })
  }
  heaps.push(await heap())
  process.stdout.write(`heap after collection: ${heaps.at(-1).toFixed(1)} MB\n`)
}
const third = Math.floor(heaps.length / 3)
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length
const growth = mean(heaps.slice(-third)) / mean(heaps.slice(-2 * third, -third)) - 1
process.stdout.write(`growth over the last third: ${(growth * 100).toFixed(1)} %\n`)
stopAll()
rmSync(folder, { recursive: true, force: true })
process.exit(growth > 0.1 ? 1 : 0)
