/*
|--------------------------------------------------------------------------
| JSON:API
|--------------------------------------------------------------------------
|
|   npm run benchmark -- json_api              all of it
|   npm run benchmark -- json_api read plain   some kinds
|
| 1,000 posts with their author, three comments each and the comments' authors,
| all included, as text: CPU time of one document, all threads counted, and how
| it compares to a loop written by hand. "plain" gets plain objects, "lucid" models
| with their relations loaded, and "read" reads everything from SQLite first.
|
| Each way runs in a process of its own, and they take turns: whatever else the
| machine does meanwhile, it does to all of them. All start three times, since two
| processes of the same code differ by up to a third. "best" is the ratio of the fastest
| documents, "median" that of documents of one turn, with the quartiles as its spread.
| "early" is the mean of the first five documents of a process, the lowest of three.
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
const ROUNDS = 80
const KINDS = ['plain', 'lucid', 'read']

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

async function takeTurns(contestants: Contestant[]) {
  for (let round = 0; round < ROUNDS; round++) {
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
const at = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!

/** Milliseconds of the later documents of all processes, and of the first ones, by contestant. */
type Results = Map<string, { late: number[]; early: number }>

async function compare(names: string[]): Promise<Results> {
  const results: Results = new Map(names.map((name) => [name, { late: [], early: Infinity }]))
  for (let run = 1; run <= PROCESSES; run++) {
    const contestants: Contestant[] = []
    for (const name of names) {
      contestants.push(await start(name))
    }
    await takeTurns(contestants)
    for (const { name, times } of contestants) {
      const result = results.get(name)!
      result.late.push(...times.slice(ROUNDS / 2))
      result.early = Math.min(mean(times.slice(0, EARLY)), result.early)
    }
    await stop(contestants)
  }
  return results
}

function print(results: Results) {
  const [base] = results.values()
  process.stdout.write(`${''.padEnd(32)}   best           median (quartiles)     early\n`)
  for (const [name, { late, early }] of results) {
    const best = Math.min(...late)
    const ratios = late.map((time, turn) => time / base!.late[turn]!)
    const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => at(ratios, share).toFixed(2))
    process.stdout.write(
      `${name.padEnd(32)}${best.toFixed(1).padStart(6)} ms ${(best / Math.min(...base!.late)).toFixed(2).padStart(5)}x` +
        `   ${middle!.padStart(5)}x (${low}–${high})   ${(early / base!.early).toFixed(2).padStart(5)}x\n`
    )
  }
}

const asked = process.argv.slice(2)
for (const kind of KINDS.filter((one) => asked.length === 0 || asked.includes(one))) {
  print(await compare(Object.keys(CONTESTANTS).filter((name) => name.startsWith(kind))))
}
const output = execFileSync(
  process.execPath,
  [...process.execArgv, '--expose-gc', fileOf('statements')],
  { encoding: 'utf8' }
)
process.stdout.write(output)
