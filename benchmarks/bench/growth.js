/*
|--------------------------------------------------------------------------
| Does a request cost more in a full database?
|--------------------------------------------------------------------------
|
|   node benchmarks/bench/growth.js [rows,…]      default 0,10000,100000; 1000000 takes some minutes more
|
| CPU of every request of this application on SQLite, with so many rows in each
| table beforehand. Needs a build, and the packages of this folder ("npm ci").
|
*/

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Database from 'better-sqlite3'

import { ours } from './contestants/ours.js'
import { measure, open } from './lib/measure.js'
import { stopAll } from './lib/server.js'

const sizes = (process.argv[2] ?? '0,10000,100000').split(',').map(Number)
const names = ['W1', 'W2r', 'W2c', 'W3', 'W4', 'W5', 'W6']
const folder = mkdtempSync(join(tmpdir(), 'growth-'))

const SERIES = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)'
const RANDOM = 'lower(hex(randomblob(16)))'
const LATER = Date.now() + 3_600_000

/** Live rows of other users and clients. */
const ROWS = [
  `INSERT INTO users (id, email, password, is_active, created_at, updated_at)
   SELECT 1000 + i, i || '@growth.test', 'x', 1, '2026-01-01 00:00:00', '2026-01-01 00:00:00' FROM n`,
  `INSERT INTO oauth_access_tokens (jti, user_id, provider, client_id, scopes, created_at, expires_at)
   SELECT ${RANDOM}, 1000 + i, 'users', 'other', '[]', 1, ${LATER} FROM n`,
  `INSERT INTO oauth_refresh_tokens
     (id, token_hash, access_token_id, user_id, provider, client_id, scopes, created_at, expires_at)
   SELECT ${RANDOM}, ${RANDOM}, ${RANDOM}, 1000 + i, 'users', 'other', '[]', 1, ${LATER} FROM n`,
  `INSERT INTO oauth_auth_codes
     (id, code_hash, user_id, provider, client_id, redirect_uri, scopes, code_challenge, code_challenge_method, created_at, expires_at)
   SELECT ${RANDOM}, ${RANDOM}, 1000 + i, 'users', 'other', 'x', '[]', 'x', 'S256', 1, ${LATER} FROM n`,
  `INSERT INTO sessions (id, user_id, guard, csrf_token, data, created_at, last_activity, expires_at)
   SELECT ${RANDOM}, 1000 + i, 'web', 'x', '{}', 1, ${LATER}, ${LATER} FROM n`,
  `INSERT INTO personal_api_tokens (user_id, provider, name, abilities, token, created_at)
   SELECT 1000 + i, 'users', 'x', '[]', ${RANDOM}, 1 FROM n`,
]

function grow(file, rows) {
  const db = new Database(file)
  if (rows) {
    ROWS.forEach((insert) => db.prepare(`${SERIES} ${insert}`).run(rows))
  }
  db.close()
}

process.on('exit', stopAll)
process.on('SIGINT', () => process.exit(130))
const contestants = []
for (const rows of sizes) {
  const contestant = ours('sqlite')
  const start = contestant.start.bind(contestant)
  contestant.name = `${rows} rows`
  contestant.start = (where) => {
    const command = start({ ...where, folder: mkdtempSync(join(folder, 'db-')) })
    grow(command.env.SQLITE_FILE, rows)
    return command
  }
  await open(contestant, folder)
  contestants.push(contestant)
}

/* In turns, so that a busy moment falls on all of them. */
const best = new Map()
for (let round = 0; round < 5; round++) {
  for (const name of names) {
    for (const contestant of contestants) {
      const { cpu } = await measure(contestant, name, { duration: 400, warmup: 200 })
      const key = `${name} ${contestant.name}`
      best.set(key, Math.min(best.get(key) ?? Infinity, cpu))
    }
  }
}
for (const name of names) {
  const costs = contestants.map((contestant) => best.get(`${name} ${contestant.name}`))
  const growth = Math.round((costs.at(-1) / costs[0] - 1) * 100)
  const figures = costs.map((cost) => cost.toFixed(0).padStart(8)).join('')
  process.stdout.write(`${name.padEnd(4)}${figures} µs   ${growth >= 0 ? '+' : ''}${growth} %\n`)
}
stopAll()
rmSync(folder, { recursive: true, force: true })
process.exit(0)
