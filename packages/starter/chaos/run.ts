/*
|--------------------------------------------------------------------------
| npm run chaos
|--------------------------------------------------------------------------
|
|   npm run chaos -- --seed 7 --seconds 300
|   DB_CONNECTION=pg npm run chaos -- --short
|   npm run chaos -- --cut 100000 --stops 200
|
| Two servers of its own on a database of its own, under a load of logins, token
| requests, refreshes, revocations and API tokens, while servers are killed and
| the database is killed, cut off, locked, full or read-only. Each failure is
| mended after a moment. The run fails when
|
| - something that was answered with success is lost, or a refresh token is
|   redeemed twice,
| - a request fails in another way than 503, 500 or a broken connection, or with
|   the wrong form, or is not answered at all,
| - a server ends by itself, or does not work again without a restart.
|
| The same seed makes the same failures. The requests in between differ.
|
| With --cut so many connections with pipelined requests are cut instead, and
| servers are stopped under them (soak.ts).
|
*/

import { randomBytes, randomInt } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { registerClient } from '#starter/fuzz/caller'
import { Random } from '#starter/fuzz/random'
import { runScript } from '#starter/helpers/server_process'

import type { Fault, TestedDatabase } from './database.js'
import { Ledger } from './ledger.js'
import { Worker } from './load.js'
import { PostgresDatabase } from './postgres.js'
import { Servers } from './servers.js'
import { soak } from './soak.js'
import { SqliteDatabase } from './sqlite.js'

const WORKERS = 4

/** Milliseconds that the servers may take to work again. */
const RECOVERY = 20_000

/** Families with more than one refresh token that could be redeemed. */
const DOUBLED = `SELECT family_id FROM oauth_refresh_tokens
  WHERE rotated_at IS NULL AND revoked_at IS NULL GROUP BY family_id HAVING COUNT(*) > 1`

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    seconds: { type: 'string', default: '120' },
    short: { type: 'boolean', default: false },
    cut: { type: 'string' },
    stops: { type: 'string', default: '200' },
  },
})
const seed = Number(options.seed)
const seconds = Number(options.seconds)
if (!(seed >= 0) || !(seconds >= 0) || seconds === Infinity) {
  process.stderr.write('--seed and --seconds are numbers.\n')
  process.exit(1)
}

const write = (line: string) => process.stdout.write(`${line}\n`)
write(`Seed ${seed}: "npm run chaos -- --seed ${seed}" repeats it.`)

const random = new Random(seed)
const folder = await mkdtemp(join(tmpdir(), 'chaos-'))
/* PostgreSQL runs as another user. */
await chmod(folder, 0o755)

async function prepareDatabase(env: Record<string, string>) {
  const { code, stdout, stderr } = await runScript('bin/console.ts', ['db:prepare'], env)
  if (code !== 0) {
    throw new Error(`"node ace db:prepare" failed: ${stdout}${stderr}`)
  }
}

/** Resolves when every worker succeeds with everything on every server. */
async function recover(workers: Worker[], ledger: Ledger): Promise<void> {
  const start = performance.now()
  for (const worker of workers) {
    while (!(await worker.works())) {
      if (performance.now() - start > RECOVERY) {
        return ledger.fail(`the servers do not work again after ${RECOVERY} ms`)
      }
      await sleep(100)
    }
  }
}

/** Lets one thing fail under load, and checks that nothing is lost. */
async function rehearse(fault: Fault, servers: Servers, workers: Worker[], ledger: Ledger) {
  const milliseconds = 500 + random.below(options.short ? 1000 : 4500)
  await fault.run(milliseconds)
  const mended = performance.now()
  await recover(workers, ledger)
  const recovered = Math.round(performance.now() - mended)
  servers.findDead().forEach((what) => ledger.fail(what))
  const count = await ledger.check(servers.urls[0]!)
  write(
    `${fault.name}, for ${milliseconds} ms: works again after ${recovered} ms, ${count} promises checked`
  )
}

async function run(database: TestedDatabase, servers: Servers, ledger: Ledger) {
  await servers.start()
  const workers = await Promise.all(
    Array.from({ length: WORKERS }, (_, index) =>
      Worker.start(`worker ${index}`, () => servers.urls, ledger, new Random(seed + index))
    )
  )
  const faults: Fault[] = [
    { name: 'kill -9 of a server', run: (ms) => killServer(servers, ms) },
    ...database.faults({ servers }),
  ]
  database.notes.forEach(write)
  const running = workers.map((worker) => worker.run())
  const end = performance.now() + seconds * 1000
  for (const fault of faults) {
    await rehearse(fault, servers, workers, ledger)
  }
  while (!options.short && performance.now() < end && ledger.failures.length < 20) {
    await rehearse(random.pick(faults), servers, workers, ledger)
  }
  workers.forEach((worker) => worker.stop())
  await Promise.all(running)
  await ledger.check(servers.urls[0]!)
  await servers.stop()
  const doubled = await database.countRows(DOUBLED)
  if (doubled) {
    ledger.fail(`${doubled} families have more than one refresh token`)
  }
}

async function killServer(servers: Servers, milliseconds: number) {
  await servers.kill()
  await sleep(milliseconds)
  await servers.restart()
}

const database =
  process.env.DB_CONNECTION === 'pg'
    ? await PostgresDatabase.create(folder)
    : new SqliteDatabase(folder)
const env = {
  ...database.env,
  APP_KEY: randomBytes(24).toString('hex'),
  OAUTH_KEY: randomBytes(24).toString('hex'),
  NODE_ENV: 'test',
  LOG_LEVEL: 'error',
  LIMITER_STORE: 'database',
  OAUTH_GRANT_TYPES: 'authorization_code,client_credentials,refresh_token,password',
}
const servers = new Servers(env)
let ledger: Ledger | undefined
try {
  await prepareDatabase({ ...env, LOG_LEVEL: 'silent' })
  ledger = new Ledger(await registerClient({ ...env, LOG_LEVEL: 'silent' }))
  if (options.cut === undefined) {
    await run(database, servers, ledger)
  } else {
    const counts = { connections: Number(options.cut), stops: Number(options.stops), random }
    const failures = await soak({ ...env, LOG_LEVEL: 'silent' }, counts, write)
    failures.forEach((what) => ledger!.fail(what))
  }
} catch (error) {
  const what = (error as Error).stack!
  ledger ? ledger.fail(what) : write(what)
  process.exitCode = 1
} finally {
  await servers.stop()
  await database.close()
  await rm(folder, { recursive: true, force: true })
}

const counts = [...(ledger?.counts ?? [])].sort().map(([what, count]) => `${what}: ${count}`)
write(`${database.name}. ${counts.join(', ')}`)
if (process.exitCode || ledger?.failures.length || ledger?.counts.has('500')) {
  const file = join('tmp', `chaos-${seed}.log`)
  await mkdir('tmp', { recursive: true })
  await writeFile(file, servers.log)
  write(`What the servers have logged is in ${file}.`)
}
if (ledger?.failures.length) {
  write(`${ledger.failures.length} failures with seed ${seed}.`)
  process.exitCode = 1
} else if (!process.exitCode) {
  write('Nothing lost, nothing doubled.')
}
