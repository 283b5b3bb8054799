import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'

import Database from 'better-sqlite3'
import pg from 'pg'

import { execute } from '#starter/helpers/execute'
import type { OwnDatabase } from '#starter/helpers/own_database'

import { ServerProcess } from '../deployment/servers.js'

type Env = Record<string, string>

const FILES = { SQLite: 'sqlite', PostgreSQL: 'postgres' } as const
const fixture = (name: string) =>
  readFile(new URL(`first_release/${name}`, import.meta.url), 'utf8')

/** What the people and programs of the first release know. Their rows do not expire. */
interface Secrets {
  email: string
  password: string
  apiToken: string
  clientId: string
  clientSecret: string
  refreshToken: string
}

/**
 * Migrates a database that the first release has written, with rows in every
 * table. The doctor asks for it and is content afterwards, every row is still
 * there, and what people and programs have goes on working.
 */
export async function upgrade(project: string, database: OwnDatabase): Promise<string> {
  await run(database, await fixture(`${FILES[database.name]}.sql`))
  const env: Env = {
    ...database.env,
    NODE_ENV: 'development',
    LOG_LEVEL: 'error',
    SESSION_SECURE: 'false',
    APP_KEY: randomBytes(32).toString('base64url'),
    OAUTH_KEY: randomBytes(32).toString('base64url'),
  }
  const ace = (args: string[], codes = [0]) =>
    execute('node', ['ace.js', ...args], { cwd: project, env: { ...env, NO_COLOR: '1' }, codes })

  const { output: before } = await ace(['doctor'], [1])
  assert.match(before, /^ERROR +migrations: \d+ have not run/m)
  const rows = await countRows(database)
  assert.ok(rows.size > 10 && ![...rows.values()].includes(0), [...rows].join(' '))
  await ace(['migration:run', '--force', '--no-schema-generate'])
  const after = await countRows(database)
  rows.forEach((count, table) => assert.equal(after.get(table), count, table))
  const { output } = await ace(['doctor'])
  assert.match(output, /^ok +migrations: all \d+ have run$/m)

  const server = await ServerProcess.start(
    {
      folder: project,
      env: {},
      command: ['node', '--import=@poppinss/ts-exec', 'bin/server.ts'],
      healthCheck: [],
    },
    { ...env, HOST: '127.0.0.1', APP_URL: 'http://localhost' }
  )
  try {
    const secrets = JSON.parse(await fixture('secrets.json'))[env.DB_CONNECTION!]
    await knows(server.url, secrets)
  } finally {
    await server.stop()
  }
  return `${rows.size} tables`
}

/** The password, the API token and the refresh token of the first release. */
async function knows(url: string, secrets: Secrets) {
  const { email, password, apiToken, clientId, clientSecret, refreshToken } = secrets
  const login = await fetch(`${url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  assert.equal(login.status, 200, 'the password')

  const tokens = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      client_id: clientId,
      client_secret: clientSecret,
    }),
  })
  assert.equal(tokens.status, 200, 'the refresh token')
  const { access_token: accessToken } = (await tokens.json()) as { access_token: string }
  for (const token of [apiToken, accessToken]) {
    const me = await fetch(`${url}/api/me`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(me.status, 200, 'a token')
    const { user } = (await me.json()) as { user: { email: string } }
    assert.equal(user.email, email)
  }
}

/** How many rows each table of the application has. */
async function countRows(database: OwnDatabase): Promise<Map<string, number>> {
  const tables = (await run(database, LIST[database.name])).map(({ name }) => name as string)
  const counts = new Map<string, number>()
  for (const table of tables.filter((name) => !/^(adonis|sqlite)_/.test(name))) {
    const [row] = await run(database, `SELECT count(*) AS count FROM ${table}`)
    counts.set(table, Number(row!.count))
  }
  return counts
}

const LIST = {
  SQLite: "SELECT name FROM sqlite_master WHERE type = 'table'",
  PostgreSQL: "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
}

/** Rows of a query; none of several statements. */
async function run({ name, env }: OwnDatabase, sql: string): Promise<Record<string, unknown>[]> {
  if (name === 'SQLite') {
    const file = new Database(env.SQLITE_FILE!)
    try {
      return sql.startsWith('SELECT') ? (file.prepare(sql).all() as any) : (file.exec(sql), [])
    } finally {
      file.close()
    }
  }
  const client = new pg.Client({
    host: env.DB_HOST,
    port: Number(env.DB_PORT),
    user: env.DB_USER,
    password: env.DB_PASSWORD,
    database: env.DB_DATABASE,
  })
  await client.connect()
  try {
    return (await client.query(sql)).rows ?? []
  } finally {
    await client.end()
  }
}
