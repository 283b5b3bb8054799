/*
|--------------------------------------------------------------------------
| npm run bench
|--------------------------------------------------------------------------
|
|   npm run bench                      everything, about six minutes; writes the table of docs/performance.md
|   npm run bench -- --quick           three minutes, on SQLite; writes nothing
|   npm run bench -- --only W1,W4      some workloads
|   npm run bench -- --rounds 5 --duration 3000
|   npm run bench -- --pg              this application on PostgreSQL too (DB_HOST, DB_USER, DB_DATABASE)
|   npm run bench -- --watched         this application alone: without and with figures, and with traces
|
| The production build beside a bare AdonisJS, the same work by hand, and peers.
| Each round runs every workload against every contestant, in rotated order, so
| that ratios compare cells that were measured within a minute. Answers are
| checked during the load; before it, each contestant has to refuse a bad token,
| a used code, a rotated and a revoked token.
|
*/

import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

import { adonisAuth } from './contestants/adonis_auth.js'
import { betterAuth } from './contestants/better_auth.js'
import { bare } from './contestants/ceilings.js'
import { floor } from './contestants/floor.js'
import { oauth2Server } from './contestants/oauth2_server.js'
import { oidcProvider } from './contestants/oidc_provider.js'
import { ours } from './contestants/ours.js'
import { sesame } from './contestants/sesame.js'
import { CONNECTIONS, log, measure, open } from './lib/measure.js'
import { stopAll } from './lib/server.js'
import { summarize, writeTable } from './lib/table.js'
import { WORKLOADS } from './lib/workloads.js'

const here = fileURLToPath(new URL('./', import.meta.url))
const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    duration: { type: 'string' },
    pg: { type: 'boolean', default: false },
    watched: { type: 'boolean', default: false },
  },
})
const rounds = Number(options.rounds ?? (options.quick ? 1 : 3))
const duration = Number(options.duration ?? (options.quick ? 1000 : 700))
const names = options.only?.split(',') ?? Object.keys(WORKLOADS)

if (!existsSync(join(here, 'node_modules'))) {
  spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here, stdio: 'inherit' })
}
if (!existsSync(join(here, '../../build/bin/server.js'))) {
  const { status } = spawnSync('npm', ['run', 'build'], {
    cwd: join(here, '../..'),
    stdio: 'inherit',
  })
  if (status !== 0) {
    throw new Error('The build failed')
  }
}

/** Requests before the measured ones: the compiler of V8 has seen the code by then. */
const WARM_UP = options.quick ? { first: 400, later: 100 } : { first: 600, later: 100 }

const others = [oauth2Server, oidcProvider, betterAuth, adonisAuth, sesame, floor, bare]
const contestants = [ours('sqlite'), ...(options.watched ? await watched() : others)]
if (options.pg) {
  contestants.splice(1, 0, ours('pg'))
}

/** With figures; with a trace of each request, which a collector that keeps nothing takes. */
async function watched() {
  const collector = createServer((request, response) =>
    request.resume().on('end', () => response.end())
  )
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.address().port}` }
  return [
    ours('sqlite', { name: 'with figures', env: { METRICS_TOKEN: 'benchmark'.repeat(4) } }),
    ours('sqlite', { name: 'with a trace of each request', env }),
    ours('sqlite', { name: 'of one in ten', env: { ...env, OTEL_TRACES_SAMPLER_ARG: '0.1' } }),
  ]
}

const folder = mkdtempSync(join(tmpdir(), 'bench-'))

process.on('exit', stopAll)
process.on('SIGINT', () => process.exit(130))
const cells = []
try {
  for (const contestant of contestants) {
    log(`starting ${contestant.name}`)
    await open(contestant, folder)
  }
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const field = contestants.filter(({ requests }) => requests[name])
      for (let turn = 0; turn < field.length; turn++) {
        const contestant = field[(turn + round) % field.length]
        const warmup = round ? WARM_UP.later : WARM_UP.first
        const label = `${round + 1} `
        cells.push(await measure(contestant, name, { duration, warmup, label }))
      }
    }
  }
  const table = summarize(cells, contestants, { rounds, duration, connections: CONNECTIONS })
  process.stdout.write(`${table}\n`)
  if (!options.quick && !options.only && !options.watched) {
    writeTable(table)
  }
} finally {
  stopAll()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)
