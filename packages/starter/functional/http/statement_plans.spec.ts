import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { UserFactory, FACTORY_PASSWORD } from '#database/factories/user_factory'
import {
  credentials,
  obtainTokens,
  postToken,
  refreshing,
  registerClient,
  isolate,
  post,
  granted,
} from '#starter/helpers/oauth'
import { Visitor, signedIn } from '#starter/helpers/visitor'

interface Statement {
  sql: string
  bindings: unknown[]
}

/** Tables that are read as a whole, or that PostgreSQL keeps for itself. */
const WHOLE = /sqlite_master|information_schema|pg_/i
const EXPLAINABLE = /^\s*(select|insert|update|delete|with)\b/i

/** The statements that a run makes, each text once, with their values. */
async function record(run: () => Promise<unknown>): Promise<Statement[]> {
  const statements = new Map<string, Statement>()
  const knex = db.connection().getWriteClient()
  const listener = ({ sql, bindings }: Statement) => statements.set(sql, { sql, bindings })
  knex.on('query', listener)
  try {
    await run()
  } finally {
    knex.removeListener('query', listener)
  }
  return [...statements.values()].filter(({ sql }) => EXPLAINABLE.test(sql) && !WHOLE.test(sql))
}

/** The steps of a plan that read a whole table. */
async function scans({ sql, bindings }: Statement): Promise<string[]> {
  const client = db.connection()
  const values = bindings as any[]
  if (client.dialect.name === 'better-sqlite3') {
    const steps = await client.rawQuery(`EXPLAIN QUERY PLAN ${sql}`, values)
    return steps
      .map(({ detail }: { detail: string }) => detail)
      .filter((detail: string) => /^SCAN (?!CONSTANT)/.test(detail) && !/USING/.test(detail))
  }
  const text = sql.replace(/\$\d+/g, '?')
  const { rows } = await client.rawQuery(`EXPLAIN ${text}`, values)
  return rows
    .map((row: Record<string, string>) => row['QUERY PLAN'])
    .filter((step: string) => /Seq Scan/.test(step))
}

const PATHS: Record<string, () => Promise<() => Promise<unknown>>> = {
  async 'client_credentials'() {
    const client = await registerClient()
    return () => postToken({ grant_type: 'client_credentials', ...credentials(client) })
  },
  async 'a code'() {
    const client = await registerClient()
    const { visitor } = await signedIn()
    return () => obtainTokens(visitor, client)
  },
  async 'a refresh token, once and again'() {
    const client = await registerClient()
    const { visitor } = await signedIn()
    const { refresh_token: token } = await obtainTokens(visitor, client)
    return async () => {
      await postToken(refreshing(client, token))
      await postToken(refreshing(client, token))
    }
  },
  async 'introspection and revocation'() {
    const { client, tokens } = await granted()
    return async () => {
      for (const token of [tokens.access_token, tokens.refresh_token]) {
        await post('/oauth/introspect', { token, ...credentials(client) })
        await post('/oauth/revoke', { token, ...credentials(client) })
      }
    }
  },
  async 'a bearer token'() {
    const client = await registerClient()
    const { visitor } = await signedIn()
    const { access_token: token } = await obtainTokens(visitor, client)
    const headers = { authorization: `Bearer ${token}` }
    return () => new Visitor().get('/api/me', { headers })
  },
  async 'the end of a connected app'() {
    const client = await registerClient()
    const { visitor } = await signedIn()
    await obtainTokens(visitor, client)
    const { id } = await db.from('oauth_grants').select('id').firstOrFail()
    const path = `/account/connected-apps/${id}/disconnect`
    return () => visitor.post(path, { form: {}, csrf: true })
  },
  async 'a session from login to logout'() {
    const user = await UserFactory.create()
    const visitor = new Visitor()
    return async () => {
      await visitor.login(user.email, FACTORY_PASSWORD)
      await visitor.get('/api/me')
      await visitor.post('/logout')
    }
  },
}

test.group('Statements of a request', (group) => {
  group.each.setup(isolate)
  group.each.setup(async () => {
    if (db.connection().dialect.name === 'postgres') {
      /* Small tables are scanned whatever their indexes are. */
      await db.rawQuery('SET LOCAL enable_seqscan = off')
    }
  })

  for (const [path, prepare] of Object.entries(PATHS)) {
    test(`${path}: every statement finds its rows by an index`, async ({ assert }) => {
      const run = await prepare()
      const statements = await record(run)
      assert.isNotEmpty(statements)
      for (const statement of statements) {
        assert.deepEqual(await scans(statement), [], statement.sql)
      }
    })
  }

  test('an API token is found by an index', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const statements = await record(() => client.get('/api/me').withApiToken(user))
    assert.isNotEmpty(statements)
    for (const statement of statements) {
      assert.deepEqual(await scans(statement), [], statement.sql)
    }
  })

  test('a statement that reads a whole table is noticed', async ({ assert }) => {
    const sql = "SELECT * FROM users WHERE full_name = 'nobody'"
    assert.isNotEmpty(await scans({ sql, bindings: [] }))
  })
})
