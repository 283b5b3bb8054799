/*
|--------------------------------------------------------------------------
| npm run bench
|--------------------------------------------------------------------------
|
|   npm run bench                      everything, about six minutes; writes the table of docs/performance.md
|   npm run bench -- --quick           two minutes, on SQLite; writes nothing
|   npm run bench -- --only W1,W4      some workloads
|   npm run bench -- --rounds 5 --duration 3000
|   npm run bench -- --pg              this application on PostgreSQL too (DB_HOST, DB_USER, DB_DATABASE)
|
| The production build beside a bare AdonisJS, the same work by hand, and peers.
| Each round runs every workload against every contestant, in rotated order, so
| that ratios compare cells that were measured within a minute. Answers are
| checked during the load; before it, each contestant has to refuse a bad token,
| a used code, a rotated and a revoked token.
|
*/

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { json } from 'node:stream/consumers'
import { parseArgs } from 'node:util'

import { adonisAuth } from './contestants/adonis_auth.js'
import { betterAuth } from './contestants/better_auth.js'
import { bare } from './contestants/ceilings.js'
import { floor } from './contestants/floor.js'
import { oauth2Server } from './contestants/oauth2_server.js'
import { oidcProvider } from './contestants/oidc_provider.js'
import { ours } from './contestants/ours.js'
import { sesame } from './contestants/sesame.js'
import { fill, send, toText } from './lib/http.js'
import { refusals } from './lib/refusals.js'
import { NODE, freePort, pinned, start, stopAll } from './lib/server.js'
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
  },
})
const rounds = Number(options.rounds ?? (options.quick ? 1 : 3))
const duration = Number(options.duration ?? (options.quick ? 300 : 700))
/** As many people sign in; one more is for what has to be refused. */
const connections = 20
const names = options.only?.split(',') ?? Object.keys(WORKLOADS)

if (!existsSync(join(here, 'node_modules'))) {
  spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here, stdio: 'inherit' })
}
if (!existsSync(join(here, '../../build/bin/server.js'))) {
  throw new Error('There is no build: run "npm run build" first')
}

/** Requests before the measured ones: the compiler of V8 has seen the code by then. */
const WARM_UP = options.quick ? { first: 200, later: 100 } : { first: 600, later: 100 }

/** Milliseconds after which a cell ends, whatever it has measured. */
const LIMIT = 30_000

const contestants = [
  ours('sqlite'),
  oauth2Server,
  oidcProvider,
  betterAuth,
  adonisAuth,
  sesame,
  floor,
  bare,
]
if (options.pg) {
  contestants.splice(1, 0, ours('pg'))
}
const folder = mkdtempSync(join(tmpdir(), 'bench-'))
const log = (line) => process.stderr.write(`${line}\n`)

async function open(contestant) {
  const port = await freePort()
  const command = contestant.start({ folder, port })
  Object.assign(contestant, await start(command, { port, log: join(folder, 'servers.log') }))
  if (contestant.people) {
    const people = await contestant.people(contestant.base, connections + 1)
    contestant.refused = await refusals(contestant, people.pop(), obtainTokens)
    contestant.signedIn = people
    await obtainAll(contestant)
    contestant.refused.forEach(({ what, isRefused }) => {
      if (!isRefused) {
        log(`${contestant.name}: ${what} is NOT refused`)
      }
    })
  }
}

/** A code for a person, redeemed. */
async function obtainTokens({ base, mint, requests }, person) {
  const code = await mint(base, person)
  const response = await send(base, fill(requests.W2c, { ...person, code }))
  if (response.status !== 200) {
    throw new Error(`No tokens: ${response.status} ${response.body}`)
  }
  const { access_token: access, refresh_token: refresh } = JSON.parse(response.body)
  return Object.assign(person, { access_token: access, refresh_token: refresh })
}

/** Fresh tokens for everybody: rotations have revoked those of before. */
async function obtainAll(contestant) {
  if (contestant.mint) {
    await Promise.all(contestant.signedIn.map((person) => obtainTokens(contestant, person)))
  }
}

/** What the load has to do for one workload. */
async function task(contestant, workload, warmup) {
  const { port, pid, requests, signedIn, base, mint } = contestant
  const { mode = 'repeat', expect } = contestant.isCeiling && !signedIn ? { expect: '' } : workload
  const request = requests[workload.name]
  const people = signedIn ?? Array(connections).fill({})
  const common = { port, pid, connections, duration, warmup, limit: LIMIT, mode, expect }
  if (mode === 'chain') {
    await obtainAll(contestant)
    const tokens = people.map((person) => person.refresh_token)
    const placeholder = 'REFRESH_TOKEN'
    const text = toText(fill(request, { ...people[0], refresh_token: placeholder }), port)
    return { ...common, tokens, placeholder, request: text }
  }
  if (mode === 'list') {
    const texts = []
    const codes = Math.ceil((warmup + duration / 2) / connections)
    for (let index = 0; index < codes; index++) {
      const minted = people.map(async (person) => {
        const code = await mint(base, person)
        return toText(fill(request, { ...person, code }), port)
      })
      texts.push(...(await Promise.all(minted)))
    }
    return { ...common, requests: texts }
  }
  if (signedIn) {
    await obtainAll(contestant)
  }
  return { ...common, requests: people.map((person) => toText(fill(request, person), port)) }
}

async function load(work) {
  const [command, args] = pinned(cpus().length - 1, NODE, [join(here, 'lib/load.js')])
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(work))
  return json(child.stdout)
}

async function measure(contestant, name, round) {
  const workload = { name, ...WORKLOADS[name] }
  const result = await load(await task(contestant, workload, round ? WARM_UP.later : WARM_UP.first))
  const cell = { round, workload: name, contestant: contestant.name, ...result }
  const failed = result.failures ? `  ${result.failures} WRONG: ${result.example}` : ''
  log(
    `${round + 1} ${name.padEnd(4)}${contestant.name.padEnd(30)}${cell.cpu?.toFixed(0).padStart(6)} µs ` +
      `${cell.rate.toFixed(0).padStart(7)}/s  p50 ${cell.p50?.toFixed(1)}  p99 ${cell.p99?.toFixed(1)} ms${failed}`
  )
  return cell
}

process.on('exit', stopAll)
process.on('SIGINT', () => process.exit(130))
const cells = []
try {
  for (const contestant of contestants) {
    log(`starting ${contestant.name}`)
    await open(contestant)
  }
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const field = contestants.filter(({ requests }) => requests[name])
      for (let turn = 0; turn < field.length; turn++) {
        cells.push(await measure(field[(turn + round) % field.length], name, round))
      }
    }
  }
  const table = summarize(cells, contestants, { rounds, duration, connections })
  process.stdout.write(`${table}\n`)
  if (!options.quick && !options.only) {
    writeTable(table)
  }
} finally {
  stopAll()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)
