/*
|--------------------------------------------------------------------------
| npm run promises
|--------------------------------------------------------------------------
|
| Breaks each promise of SECURITY.md in a mutated copy of its code, and runs
| the test that holds it. It fails when a test passes nevertheless, and when a
| test fails without its mutation. Promises without a mutation are listed.
|
*/

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { MUTATIONS, type Mutation } from './mutations.js'

const ROOT = new URL('../../../', import.meta.url)
const MUTANTS = new URL('mutants.js', import.meta.url).href
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

/** Runs the tests of some mutations, and returns the titles of those that ran and of those that failed. */
async function run(mutations: readonly Mutation[], env: Record<string, string>) {
  const specs = new Set(mutations.map(specOf))
  const suites = new Set([...specs].map((spec) => spec.split('/')[2]!))
  const options = [
    '--reporters=ndjson',
    ...[...specs].map((spec) => `--files=${spec.replace('.spec.ts', '')}`),
    ...mutations.map(({ title }) => `--tests=${title}`),
  ]
  const child = spawn(process.execPath, ['bin/run.js', 'test', ...suites, ...options], {
    cwd: fileURLToPath(ROOT),
    env: {
      ...process.env,
      NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${MUTANTS}`,
      SQLITE_FILE: 'tmp/promises.sqlite3',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    output += chunk
    /* What is broken may keep the process from ending. */
    if (output.includes('\n{"aggregates":')) child.kill('SIGTERM')
  }
  const ran = new Set<string>()
  const failed = new Set<string>()
  for (const line of output.split('\n').filter((one) => one.startsWith('{"event":"test:end"'))) {
    const { title, errors } = JSON.parse(line) as TestEnd
    ran.add(title.original)
    if (errors.length) failed.add(title.original)
  }
  return { ran, failed, output }
}

interface TestEnd {
  title: { original: string }
  errors: unknown[]
}

const complaints: string[] = []
const isHere = (mutation: Mutation) => !specOf(mutation).startsWith('packages/starter/processes/')
const here = MUTATIONS.filter(isHere)
const elsewhere = MUTATIONS.filter((mutation) => !isHere(mutation))

const whole = await run(MUTATIONS, { PROMISES: 'kept' })
for (const { title } of MUTATIONS) {
  if (!whole.ran.has(title)) complaints.push(`did not run: ${title}`)
  else if (whole.failed.has(title)) complaints.push(`fails without a mutation: ${title}`)
}
if (whole.ran.size === 0) write(whole.output)

const { failed } = await run(here, { PROMISES: 'broken' })
for (const mutation of elsewhere) {
  const PROMISE = String(MUTATIONS.indexOf(mutation))
  const broken = await run([mutation], { PROMISES: 'broken', PROMISE })
  broken.failed.forEach((title) => failed.add(title))
}
for (const { title, file } of MUTATIONS) {
  const noticed = failed.has(title)
  write(`${noticed ? 'broken, and noticed ' : 'BROKEN, NOT NOTICED '} ${title}`)
  if (!noticed) complaints.push(`passes though ${file} is broken: ${title}`)
}
const without = promises.filter(({ title }) => {
  const pattern = new RegExp(
    `^${title
      .split(/\$\{\w+\}/)
      .map(quoted)
      .join('.+')}$`
  )
  return !MUTATIONS.some((mutation) => pattern.test(mutation.title))
})
write(
  `${promises.length - without.length} of ${promises.length} promises have a mutation. Without one:`
)
without.forEach(({ promise }) => write(`  ${promise}`))

complaints.forEach(write)
process.exitCode = complaints.length ? 1 : 0
