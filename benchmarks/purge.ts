/*
|--------------------------------------------------------------------------
| Purge of OAuth tokens
|--------------------------------------------------------------------------
|
|   npm run benchmark -- purge [rows]
|
| CPU time of a purge on an SQLite file of its own, and of the longest step in
| which it let no other work run: for expired tokens without families, and for
| 40 families that were refreshed every hour for 90 days.
|
*/

import { rmSync } from 'node:fs'

import { app, finish } from './harness.js'

const { default: db } = await import('@adonisjs/lucid/services/db')
const { MigrationRunner } = await import('@adonisjs/lucid/migration')
const { configureSqlite } = await import('#kit/database/sqlite')
const { DatabaseTokenStore } = await import('#kit/oauth2/tokens/database_token_store')

const HOUR = 3_600_000
const DAY = 24 * HOUR
const now = Date.now()
const rows = Number(process.argv[2] ?? 100_000)

const file = app.tmpPath('purge_benchmark.sqlite3')
const clean = () => ['', '-wal', '-shm'].forEach((end) => rmSync(file + end, { force: true }))
clean()
db.manager.add('purge', {
  client: 'better-sqlite3',
  connection: { filename: file },
  useNullAsDefault: true,
  pool: { afterCreate: configureSqlite },
  migrations: { naturalSort: true, paths: ['database/migrations'] },
  schemaGeneration: { enabled: false },
} as any)
await new MigrationRunner(db, app, { direction: 'up', connectionName: 'purge' }).run()
const client = db.connection('purge')
const store = new DatabaseTokenStore(() => client)

/** CPU time of this thread, in milliseconds: what other processes do does not count. */
function cpuTime() {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

async function measure(name: string) {
  let longest = 0
  let last = cpuTime()
  const tick = () => {
    const instant = cpuTime()
    longest = Math.max(longest, instant - last)
    last = instant
    timer = setImmediate(tick)
  }
  let timer = setImmediate(tick)
  const start = cpuTime()
  const deleted = await store.purge(now, now - HOUR)
  const took = cpuTime() - start
  clearImmediate(timer)
  process.stdout.write(
    `${name.padEnd(40)} ${String(deleted).padStart(8)} rows ${took.toFixed(0).padStart(7)} ms, longest block ${longest.toFixed(1)} ms\n`
  )
}

await client.rawQuery(
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
   INSERT INTO oauth_access_tokens (jti, client_id, scopes, created_at, expires_at)
   SELECT lower(hex(randomblob(11))), 'client', '["posts:read"]', 1, 1000 * (i % 10000) FROM n`,
  [rows]
)
await measure('expired access tokens')

/* Family f, refresh r: one access token and one refresh token an hour. */
const refreshes = (90 * DAY) / HOUR
await client.rawQuery(
  `WITH RECURSIVE f(f) AS (SELECT 1 UNION ALL SELECT f + 1 FROM f WHERE f < 40),
     r(r) AS (SELECT 0 UNION ALL SELECT r + 1 FROM r WHERE r < ?)
   INSERT INTO oauth_refresh_tokens
     (id, token_hash, family_id, access_token_id, user_id, provider, scopes, created_at, expires_at, rotated_at)
   SELECT f || '-' || r, hex(randomblob(32)), f || '-0', 'a' || f || '-' || r, '7', 'users', '[]',
     ? + r * ${HOUR}, ? + r * ${HOUR} + ${14 * DAY}, CASE WHEN r < ? THEN 1 END FROM f, r`,
  [refreshes, now - 90 * DAY, now - 90 * DAY, refreshes]
)
await client.rawQuery(
  `INSERT INTO oauth_access_tokens (jti, user_id, provider, scopes, created_at, expires_at)
   SELECT access_token_id, '7', 'users', '[]', created_at, created_at + ${HOUR} FROM oauth_refresh_tokens`
)
await measure('90 days of 40 families, first purge')
await measure('the same again, nothing to delete')

await client.rawQuery('UPDATE oauth_refresh_tokens SET expires_at = 1')
await measure('the families have ended')

await db.manager.close('purge')
clean()
await finish()
