import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import app from '@adonisjs/core/services/app'
import { MigrationRunner } from '@adonisjs/lucid/migration'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest, test } from '@japa/runner'

import { DatabaseTokenStore } from '#kit/oauth2/tokens/database_token_store'
import { familyOf } from '#kit/oauth2/tokens/token_store'

const CONNECTION = 'upgrade'

/** An empty database of the kind that DB_CONNECTION names, until the test ends. */
async function createDatabase() {
  const config: any = db.manager.get(db.primaryConnectionName)!.config
  const folder = await mkdtemp(join(tmpdir(), 'upgrade-'))
  const connection =
    config.client === 'pg'
      ? { ...config.connection, database: `${config.connection.database}_upgrade` }
      : { filename: join(folder, 'upgrade.sqlite3') }
  if (config.client === 'pg') {
    await db.rawQuery(`DROP DATABASE IF EXISTS "${connection.database}"`)
    await db.rawQuery(`CREATE DATABASE "${connection.database}"`)
  }
  db.manager.add(CONNECTION, {
    ...config,
    connection,
    schemaGeneration: { enabled: false },
  })
  getActiveTest()!.cleanup(async () => {
    await db.manager.release(CONNECTION)
    await rm(folder, { recursive: true })
    if (config.client === 'pg') {
      await db.rawQuery(`DROP DATABASE "${connection.database}"`)
    }
  })
  return db.connection(CONNECTION)
}

async function migrate(
  options: { direction: 'up' } | { direction: 'down'; step?: number; batch?: number }
) {
  const runner = new MigrationRunner(db, app, { ...options, connectionName: CONNECTION } as any)
  await runner.run()
  if (runner.error) {
    throw runner.error
  }
  return Object.keys(runner.migratedFiles).map((file) => file.split('/').at(-1)!)
}

test.group('OAuth migrations', () => {
  test('a database that has only the four older ones, and rows in them, takes the two newest and works', async ({
    assert,
  }) => {
    await createDatabase()
    const all = await migrate({ direction: 'up' })
    const step = all.length - all.indexOf('2026_10_04_000001_create_oauth_clients_table')
    const newest = await migrate({ direction: 'down', step })
    assert.include(newest, '2026_10_04_000002_add_family_id_to_oauth_refresh_tokens_table')
    const client = db.connection(CONNECTION)
    const tables = await client.getAllTables(['public'])
    assert.notInclude(tables, 'oauth_clients')
    const common = {
      user_id: '7',
      provider: 'users',
      client_id: 'client',
      scopes: '["posts:read"]',
      created_at: 1_700_000_000_000,
      expires_at: 4_000_000_000_000,
    }
    await client.table('oauth_access_tokens').insert({ ...common, jti: 'old-access' })
    await client.table('oauth_refresh_tokens').insert({
      ...common,
      id: 'old-refresh',
      token_hash: 'old-hash',
      access_token_id: 'old-access',
    })

    assert.deepEqual(await migrate({ direction: 'up' }), newest.toReversed())
    const store = new DatabaseTokenStore(() => db.connection(CONNECTION))
    const old = (await store.findRefreshToken('old-hash'))!.record
    assert.isNull(old.familyId)

    const access = (await store.findAccessToken('old-access'))!.record
    const next = {
      access: { ...access, jti: 'new-access' },
      refresh: {
        ...old,
        id: 'new-refresh',
        tokenHash: 'new-hash',
        familyId: familyOf(old),
        accessTokenId: 'new-access',
      },
    }
    assert.isTrue(await store.rotate(old, next, 1_700_000_001_000, null))
    assert.isFalse(await store.rotate(old, next, 1_700_000_001_000, null))
    await store.revokeFamily(familyOf(old), 1_700_000_002_000)
    const successor = (await store.findRefreshToken('new-hash'))!.record
    assert.equal(successor.revokedAt, 1_700_000_002_000)
    assert.isNotNull((await store.findAccessToken('new-access'))!.record.revokedAt)
  })

  test('have the names of the document, and every one can be taken back', async ({ assert }) => {
    await createDatabase()
    const migrated = await migrate({ direction: 'up' })
    for (const name of [
      'create_oauth_access_tokens_table',
      'create_oauth_refresh_tokens_table',
      'create_oauth_auth_codes_table',
      'add_resource_to_oauth_tables',
      '2026_10_04_000001_create_oauth_clients_table',
      '2026_10_04_000002_add_family_id_to_oauth_refresh_tokens_table',
    ]) {
      assert.lengthOf(
        migrated.filter((file) => file.endsWith(name)),
        1
      )
    }
    await migrate({ direction: 'down', batch: 0 })
    const tables = await db.connection(CONNECTION).getAllTables(['public'])
    assert.lengthOf(
      tables.filter((table) => table.startsWith('oauth_')),
      0
    )
    assert.sameMembers(await migrate({ direction: 'up' }), migrated)
  })

  test('columns that an unreleased version has added stay, with what is in them', async ({
    assert,
  }) => {
    await createDatabase()
    await migrate({ direction: 'up' })
    const client = db.connection(CONNECTION)
    const columns = { id: 'client', name: 'Client', redirect_uris: '[]', grant_types: '[]' }
    const added = { scopes: '[]', created_at: 1, source: 'document', refresh_grace_period: 60 }
    await client.table('oauth_clients').insert({ ...columns, ...added })
    const names = [
      'login_to_sessions_table',
      'grant_id_to_oauth_tables',
      'source_to_oauth_clients_table',
    ]
    const forgotten = await client
      .from('adonis_schema')
      .whereIn(
        'name',
        names.map((name, index) => `database/migrations/2026_11_24_00000${index + 1}_add_${name}`)
      )
      .delete()
    assert.equal(Number(forgotten), 3)

    assert.lengthOf(await migrate({ direction: 'up' }), 3)
    const row = await client.from('oauth_clients').first()
    assert.deepInclude(row, { source: 'document', refresh_grace_period: 60 })
  })
})
