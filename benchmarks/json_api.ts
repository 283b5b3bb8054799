/*
|--------------------------------------------------------------------------
| JSON:API
|--------------------------------------------------------------------------
|
|   npm run benchmark benchmarks/json_api.ts
|
| 1,000 posts with their author, three comments each and the comments' authors,
| all included, as text: CPU time of one document, all threads counted, and how
| it compares to a loop written by hand. "lucid" gets models with their relations
| loaded, "plain" plain objects.
|
| Each way runs in a process of its own, and they take turns: whatever else the
| machine does meanwhile, it does to all of them. "early" is the mean of the first
| five documents of a process, the lowest of three processes. "median" and "best"
| are of the documents that follow.
|
| Below it the statements for 500 and for 2,000 posts, which have to be equal, and the
| memory that document and models hold for each post, likewise.
|
*/

import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { CONTESTANTS } from './json_api/contestants.js'

const PROCESSES = 3
const EARLY = 5
const ROUNDS = 60
const KINDS = ['plain', 'lucid']

const fileOf = (name: string) => fileURLToPath(new URL(`./json_api/${name}.ts`, import.meta.url))

interface Contestant {
  name: string
  process: ChildProcess
  times: number[]
}

/** The next message of a worker. AdonisJS sends some of its own. */
async function timeOf(child: ChildProcess): Promise<number> {
  for (;;) {
    const [message] = (await once(child, 'message')) as [{ time?: number }]
    if (message.time !== undefined) {
      return message.time
    }
  }
}

async function start(name: string): Promise<Contestant> {
  const child = fork(fileOf('worker'), [name])
  child.once('exit', (code) => {
    if (code !== 0) {
      throw new Error(`The benchmark of "${name}" ended early`)
    }
  })
  await timeOf(child)
  return { name, process: child, times: [] }
}

async function takeTurns(contestants: Contestant[], rounds: number) {
  for (let round = 0; round < rounds; round++) {
    for (const contestant of contestants) {
      contestant.process.send('document')
      contestant.times.push(await timeOf(contestant.process))
    }
  }
}

async function stop(contestants: Contestant[]) {
  for (const contestant of contestants) {
    contestant.process.disconnect()
    await once(contestant.process, 'exit')
  }
}

const mean = (times: number[]) => times.reduce((sum, time) => sum + time, 0) / times.length
const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!

/** Milliseconds, by contestant and column. */
type Results = Map<string, Record<'median' | 'best' | 'early', number>>

async function compare(names: string[]): Promise<Results> {
  const results: Results = new Map()
  for (let run = 1; run <= PROCESSES; run++) {
    const isLast = run === PROCESSES
    const contestants: Contestant[] = []
    for (const name of names) {
      contestants.push(await start(name))
    }
    await takeTurns(contestants, isLast ? ROUNDS : EARLY)
    for (const { name, times } of contestants) {
      const early = Math.min(mean(times.slice(0, EARLY)), results.get(name)?.early ?? Infinity)
      const late = times.slice(isLast ? ROUNDS / 3 : 0)
      results.set(name, { median: median(late), best: Math.min(...late), early })
    }
    await stop(contestants)
  }
  return results
}

function print(results: Results) {
  const cell = (value: number, base: number) =>
    `${value.toFixed(1).padStart(8)} ms ${(value / base).toFixed(2).padStart(6)}x`
  process.stdout.write(`${''.padEnd(28)}  median             best               early\n`)
  for (const [name, { median: middle, best, early }] of results) {
    const base = results.get(`${name.split(':', 1)[0]}: loop by hand`)!
    process.stdout.write(
      `${name.padEnd(28)}${cell(middle, base.median)}${cell(best, base.best)}${cell(early, base.early)}\n`
    )
  }
}

for (const kind of KINDS) {
  print(await compare(Object.keys(CONTESTANTS).filter((name) => name.startsWith(kind))))
}
const output = execFileSync(
  process.execPath,
  [...process.execArgv, '--expose-gc', fileOf('statements')],
  { encoding: 'utf8' }
)
process.stdout.write(output)
