/*
|--------------------------------------------------------------------------
| Both versions of a mutated expression
|--------------------------------------------------------------------------
|
| Imported before everything else by each process of a run with mutants. A
| module with mutants is compiled with both versions of each expression. ON is
| a file with the names of those that are on, alone or with a test in which alone they
| are; one with a title is on in the test of this title. So one start serves many.
| A process without tests has no titles.
| REACHED is a file for the tests that each mutant was reached by, LAST one for
| the mutant that was reached last with its only test.
|
*/

import { readFileSync, writeFileSync } from 'node:fs'

const { MUTANTS, ON, REACHED, LAST } = process.env
/* The tests in which each is on; nothing among them is everywhere. */
const on = new Map()
for (const [name, key] of JSON.parse(readFileSync(ON, 'utf8')).map((one) => [one].flat())) {
  on.set(name, (on.get(name) ?? new Set()).add(key))
}
const root = new URL('../../../', import.meta.url).pathname
const runsTests = process.argv[1]?.endsWith('bin/test.ts')
const mutants = JSON.parse(readFileSync(MUTANTS, 'utf8'))
const placed = Map.groupBy(
  mutants.map((mutant, number) => ({ ...mutant, number })),
  ({ file }) => root + file
)

/* Japa's own module, loaded where tests run. */
let activeTest = () => undefined

const reached = mutants.map(() => new Set())
const lastTests = []
const testsOf = mutants.map(({ name }) => on.get(name))
let last
const keyOf = (test) => (test ? `${test.meta.fileName}\n${test.title}` : '')

/* A loop asks a million times. */
globalThis.isBroken = (number) => {
  const tests = testsOf[number]
  if (!tests && !REACHED) return false
  const test = activeTest()
  if (REACHED && (lastTests[number] !== test || !test)) {
    lastTests[number] = test
    reached[number].add(keyOf(test))
  }
  if (!tests) return false
  if (!tests.has(undefined)) {
    const isOn = tests.has(keyOf(test))
    if (isOn && last !== number) writeFileSync(LAST, String((last = number)))
    return isOn
  }
  const { title } = mutants[number]
  return !runsTests || title === undefined || test?.title === title
}

/* The outer ones first. */
const inOrder = (one, other) => one.start - other.start || other.end - one.end

function withBoth(source, [mutant, ...others], from, to) {
  if (!mutant) {
    return source.slice(from, to)
  }
  const { number, start, end, broken } = mutant
  const before = source.slice(from, start)
  /* A statement without a semicolon before it: the parenthesis would call what stands there. */
  const isStatement = before && /[^([=|&?:,{><+*\s-]\s*\n\s*$/.test(source.slice(0, start))
  const semicolon = isStatement ? ';' : ''
  const inner = others.filter((other) => other.start < end)
  const kept = withBoth(source, inner, start, end)
  const both = `${semicolon}(globalThis.isBroken(${number}) ? (${broken}) : (${kept}))`
  return before + both + withBoth(source, others.slice(inner.length), end, to)
}

/** The source of a module with both versions of what is mutated in it. */
globalThis.withMutations = (filename, source) =>
  withBoth(source, (placed.get(filename) ?? []).sort(inOrder), 0, source.length)

await import('../helpers/typescript.js')
if (runsTests) {
  const { getActiveTest } = await import('@japa/runner')
  activeTest = () => getActiveTest()?.options
  if (REACHED) {
    process.on('exit', () =>
      writeFileSync(REACHED, JSON.stringify(reached.map((tests) => [...tests])))
    )
  }
}
