/*
|--------------------------------------------------------------------------
| npm run mutants
|--------------------------------------------------------------------------
|
|   npm run mutants -- --seed 7 --lines 40 --room session
|
| Breaks random lines of the kit, one at a time: a negated condition, another
| comparison or literal, a call or a result that is dropped. A first run of the
| suites, or of the room's specs, notes which tests reach each line; these are run with it broken, and
| the mutant lives when all pass, and those of the suites of processes and of races, too.
| The same seed breaks the same lines. With --every all expressions of the room are broken, many in one
| start: see every_mutant.ts.
|
*/

import { randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { Random } from '#starter/fuzz/random'

import { tryEvery } from './every_mutant.js'
import { descriptionOf, randomMutants } from './random_mutants.js'
import { type Mutant, ROOT, TestRun } from './test_run.js'

/** Tests that are tried first: a mutant that many reach mostly dies in one of them. */
const FIRST = 15

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    lines: { type: 'string', default: '40' },
    room: { type: 'string', default: '' },
    suites: { type: 'string', default: 'unit,functional' },
    every: { type: 'boolean', default: false },
    starts: { type: 'string', default: '12' },
  },
})
const write = (line: string) => process.stdout.write(`${line}\n`)
write(`Seed ${options.seed}`)

const random = new Random(Number(options.seed))
const specsOf = (suite: string) =>
  globSync(`packages/starter/${suite}/**/*.spec.ts`, { cwd: fileURLToPath(ROOT) })
const all = options.suites.split(',').flatMap(specsOf)
const ofRoom = all.filter((spec) => spec.includes(`/${options.room.split('/')[0]}/`))
const specs = ofRoom.length ? ofRoom : all
if (options.every) {
  await tryEvery(options.room, specs, random, Number(options.starts))
  process.exit()
}

const mutants = randomMutants(random, Number(options.lines), options.room)
const tests = new TestRun('mutants', mutants)

const noted = fileURLToPath(new URL('tmp/mutants_reached.json', ROOT))
const whole = await tests.of(specs, { env: { REACHED: noted } })
write(`${whole.ran.size} tests, of which ${whole.failed.size} fail without a mutant`)
const reached = JSON.parse(readFileSync(noted, 'utf8')) as string[][]

interface Part {
  specs: string[]
  titles?: string[]
}

/**
 * The tests that reach a mutant, in parts. What runs outside of tests may show in every spec, in those of its room
 * first, and at last all may show in other processes.
 */
function partsOf({ name, file }: Mutant): Part[] {
  const isOwn = (spec: string) => spec.includes(`/${file.split('/')[3]!}/`)
  const [own, others] = [specs.filter(isOwn), specs.filter((spec) => !isOwn(spec))]
  const found = random
    .shuffled(reached[name]!.filter((one) => one !== ''))
    .map((one) => one.split('\n'))
  const parts = [found.splice(0, FIRST), found].map((part) => ({
    specs: part.map(([path]) => path!.slice(path!.indexOf('packages/starter/'))),
    titles: part.map(([, title]) => title!),
  }))
  const outside = reached[name]!.includes('') ? [{ specs: own }, { specs: others }] : []
  return [...parts, ...outside, { specs: [...specsOf('processes'), ...specsOf('races')] }]
}

async function isKilled(mutant: Mutant): Promise<boolean> {
  for (const { specs: files, titles } of partsOf(mutant)) {
    if (files.length === 0) continue
    /* Of a mutant in whose way each test waits for its end, one is enough. */
    const bail = whole.failed.size === 0
    const { ran, failed } = await tests.of(files, { titles, on: [mutant.name], bail })
    /* A process that does not get as far is noticed, too. */
    if (ran.size === 0 || [...failed].some((title) => !whole.failed.has(title))) return true
  }
  return false
}

let killed = 0
for (const mutant of mutants) {
  const isDead = await isKilled(mutant)
  killed += Number(isDead)
  const what = isDead
    ? 'killed'
    : reached[mutant.name]!.length
      ? 'LIVED '
      : 'LIVED, reached by no test'
  write(`${what} ${descriptionOf(mutant)}`)
}
write(`${killed} of ${mutants.length} killed (${Math.round((killed / mutants.length) * 100)} %)`)
