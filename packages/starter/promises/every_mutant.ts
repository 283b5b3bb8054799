/*
|--------------------------------------------------------------------------
| npm run mutants -- --every --room session
|--------------------------------------------------------------------------
|
| Breaks every expression of a room, many in one start: each is on in tests
| that reach it and in no other, and each start gives those that live other
| tests. What only the start of a process reaches is left out.
|
*/

import { existsSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import type { Random } from '#starter/fuzz/random'

import { descriptionOf, everyMutant } from './random_mutants.js'
import { type Mutant, ROOT, TestRun } from './test_run.js'

const file = (name: string) => fileURLToPath(new URL(`tmp/${name}`, ROOT))
const pathOf = (key: string) => key.split('\n')[0]!

/** Gives mutants tests that no other has, until none is free. Those with few tests choose first. */
function assign(untried: Map<Mutant, string[]>): [number, string][] {
  const taken = new Set<string>()
  const inOrder = [...untried].sort(([, one], [, other]) => one.length - other.length)
  const round = () =>
    inOrder.flatMap(([{ name }, tests]) => {
      const at = tests.findIndex((test) => !taken.has(test))
      if (at < 0) return []
      const [test] = tests.splice(at, 1)
      taken.add(test!)
      return [[name, test!] as [number, string]]
    })
  const given: [number, string][] = []
  for (let more = round(); more.length > 0; more = round()) given.push(...more)
  return given
}

/** @returns the mutants that no test of these specs kills, with the tests that reach them */
async function survivors(mutants: Mutant[], specs: string[], random: Random, starts: number) {
  const tests = new TestRun('every_mutant', mutants)
  const [noted, last] = [file('every_reached.json'), file('every_last')]
  const whole = await tests.of(specs, { env: { REACHED: noted } })
  const reached = JSON.parse(readFileSync(noted, 'utf8')) as string[][]
  const keysOf = ({ name }: Mutant) =>
    random
      .shuffled(reached[name]!.filter(Boolean))
      .map((key) => key.slice(key.indexOf('packages/starter/')))
      .filter((key) => !whole.failedIn.has(key))
  const untried = new Map(mutants.map((mutant) => [mutant, keysOf(mutant)]))
  const counts = new Map([...untried].map(([mutant, keys]) => [mutant, keys.length]))
  process.stdout.write(`${whole.ran.size} tests, ${whole.failed.size} fail without a mutant\n`)

  for (let start = 0; start < starts; start++) {
    const given = assign(untried)
    if (given.length === 0) break
    rmSync(last, { force: true })
    const prefix = fileURLToPath(ROOT)
    const run = await tests.of(new Set(given.map(([, key]) => pathOf(key))), {
      on: given.map(([name, key]) => [name, prefix + key]),
      env: { LAST: last },
    })
    const isWhole = run.output.includes('\n{"aggregates":')
    const hung = isWhole || !existsSync(last) ? -1 : Number(readFileSync(last, 'utf8'))
    for (const [name, key] of given) {
      const mutant = mutants[name]!
      if (name === hung || run.failedIn.has(key)) untried.delete(mutant)
      /* The process ended before this test. */
      if (!run.ranIn.has(key)) untried.get(mutant)?.push(key)
    }
    process.stdout.write(`start ${start + 1}: ${given.length} tried, ${untried.size} live\n`)
  }
  return [...untried].map(([mutant, left]) => ({
    mutant,
    tests: counts.get(mutant)!,
    left: left.length,
    atStart: reached[mutant.name]!.includes(''),
  }))
}

/** Breaks every expression of a room, and prints what no test of these specs notices. */
export async function tryEvery(room: string, specs: string[], random: Random, starts: number) {
  const mutants = everyMutant(room)
  const living = await survivors(mutants, specs, random, starts)
  for (const { mutant, tests, left, atStart } of living) {
    const reach = `${tests} tests${left ? ` (${left} not tried)` : ''}${atStart ? ' and the start' : ''}`
    process.stdout.write(`LIVED, ${reach} ${descriptionOf(mutant)}\n`)
  }
  process.stdout.write(`${mutants.length - living.length} of ${mutants.length} killed\n`)
}
