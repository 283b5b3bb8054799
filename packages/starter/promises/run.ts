/*
|--------------------------------------------------------------------------
| npm run promises, or npm run promises -- "a part of titles"
|--------------------------------------------------------------------------
|
| Breaks each promise of SECURITY.md in a mutated copy of its code, and runs
| the test that holds it. It fails when a test passes nevertheless, and when a
| test fails without its mutation, or a promise has none.
|
*/

import { readFileSync } from 'node:fs'

import { MUTATIONS, type Mutation } from './mutations.js'
import { placeOf } from './places.js'
import { ROOT, TestRun } from './test_run.js'

const ROW = /^\| ([^|]+) \| `(packages\/[^`]+)` \| (.+) \|$/gm

const promises = [...readFileSync(new URL('SECURITY.md', ROOT), 'utf8').matchAll(ROW)].map(
  ([, promise, spec, title]) => ({ promise: promise!, spec: spec!, title: title! })
)

const quoted = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
const write = (line: string) => process.stdout.write(`${line}\n`)

/** The spec of a mutation's test: that of its promise, or the one it names. */
function specOf({ title, spec }: Mutation): string {
  const found = spec ?? promises.find((promise) => promise.title === title)?.spec
  if (!found) throw new Error(`No promise of SECURITY.md has the test "${title}"`)
  return found
}

const mutants = MUTATIONS.flatMap(({ title, and, ...change }, name) =>
  [change, ...(and ? [and] : [])].map((one) => ({
    ...placeOf(one),
    name,
    broken: one.broken,
    title,
  }))
)
const tests = new TestRun('promises', mutants)
const runWith = (names: readonly number[], on = names) => {
  const mutations = names.map((name) => MUTATIONS[name]!)
  return tests.of(mutations.map(specOf), { titles: mutations.map(({ title }) => title), on })
}

const [wanted = ''] = process.argv.slice(2)
const names = [...MUTATIONS.keys()].filter((name) => MUTATIONS[name]!.title.includes(wanted))
if (names.length === 0) throw new Error(`No test of a mutation has "${wanted}" in its title`)
const isHere = (name: number) => !/\/(processes|races)\//.test(specOf(MUTATIONS[name]!))
/* One start breaks one promise of each test; servers of their own do not know the running test. */
const starts = [
  ...Map.groupBy(names.filter(isHere), (name) => {
    const { title } = MUTATIONS[name]!
    return MUTATIONS.slice(0, name).filter((other) => other.title === title).length
  }).values(),
  ...names.filter((name) => !isHere(name)).map((name) => [name]),
]

const complaints: string[] = []
const whole = await runWith(names, [])
if (whole.ran.size === 0) write(whole.output)
for (const start of starts) {
  const { failed } = await runWith(start)
  for (const name of start) {
    const { title } = MUTATIONS[name]!
    const noticed = failed.has(title)
    write(`${noticed ? 'broken, and noticed ' : 'BROKEN, NOT NOTICED '} ${title}`)
    if (!whole.ran.has(title)) complaints.push(`did not run: ${title}`)
    else if (whole.failed.has(title)) complaints.push(`fails without a mutation: ${title}`)
    else if (!noticed)
      complaints.push(`passes though "${MUTATIONS[name]!.code}" is broken: ${title}`)
  }
}

for (const { promise, title } of promises) {
  const pattern = new RegExp(
    `^${title
      .split(/\$\{\w+\}/)
      .map(quoted)
      .join('.+')}$`
  )
  if (!MUTATIONS.some((mutation) => pattern.test(mutation.title))) {
    complaints.push(`has no mutation: ${promise}`)
  }
}

complaints.forEach(write)
process.exitCode = complaints.length ? 1 : 0
