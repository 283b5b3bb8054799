import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import db from '@adonisjs/lucid/services/db'
import Database from 'better-sqlite3'
import { getActiveTest, test } from '@japa/runner'

import { selectRows } from '#kit/database/raw_query'
import { configureSqlite } from '#kit/database/sqlite'

function open() {
  const connection = new Database(':memory:')
  configureSqlite(connection, () => {})
  return connection
}

test.group('SQLite connection', () => {
  test('Knex prepares every statement with the method that is replaced', async ({ assert }) => {
    const client = db.connection().getWriteClient().client
    const connection = (await client.acquireConnection()) as Database.Database
    const { prepare } = connection
    const prepared: string[] = []
    connection.prepare = ((sql: string) => {
      prepared.push(sql)
      return prepare(sql)
    }) as Database.Database['prepare']
    await client.releaseConnection(connection)

    await db.rawQuery('select 1 as one')
    connection.prepare = prepare
    assert.deepEqual(prepared, ['select 1 as one'], 'Knex has changed: see database/sqlite.ts')
  }).skip(
    () => db.connection().dialect.name !== 'better-sqlite3',
    'The tests run on another database'
  )

  test('blocks for a moment at most, syncs as WAL allows, and enforces foreign keys', ({
    assert,
  }) => {
    const connection = open()
    assert.equal(connection.pragma('busy_timeout', { simple: true }), 10)
    assert.equal(connection.pragma('synchronous', { simple: true }), 1)
    assert.equal(connection.pragma('foreign_keys', { simple: true }), 1)
  })

  test('prepares a statement once', ({ assert }) => {
    const connection = open()
    assert.equal(connection.prepare('select 1'), connection.prepare('select 1'))
  })

  test('a statement that is being streamed is not used twice', ({ assert }) => {
    const connection = open()
    connection.exec('create table t (n)')
    connection.prepare('insert into t values (1), (2)').run()
    const rows = connection.prepare('select n from t').iterate()
    rows.next()
    assert.lengthOf(connection.prepare('select n from t').all(), 2)
    rows.return!()
  })

  test('a change of the schema forgets every statement', ({ assert }) => {
    const connection = open()
    connection.exec('create table t (a)')
    connection.prepare('insert into t values (1)').run()
    assert.deepEqual(connection.prepare('select * from t').get(), { a: 1 })
    connection.prepare('alter table t add column b').run()
    assert.deepEqual(connection.prepare('select * from t').get(), { a: 1, b: null })
  })

  test('a transaction keeps the statements, and has the write lock from its beginning', ({
    assert,
  }) => {
    const connection = open()
    const statement = connection.prepare('select 1')
    connection.prepare('BEGIN;').run()
    assert.isTrue(connection.inTransaction)
    connection.prepare('COMMIT;').run()
    assert.equal(connection.prepare('select 1'), statement)
    assert.equal(connection.prepare('BEGIN;').source, 'BEGIN IMMEDIATE')
  })

  test('keeps a bounded number of statements', ({ assert }) => {
    const connection = open()
    const first = connection.prepare('select 0')
    for (let number = 1; number <= 500; number++) {
      connection.prepare(`select ${number}`)
    }
    assert.notEqual(connection.prepare('select 0'), first)
  })
})

/** Two connections to one file; the second holds the write lock. */
async function lockedFile() {
  const folder = await mkdtemp(join(tmpdir(), 'sqlite-'))
  const [connection, other] = [1, 2].map(() => new Database(join(folder, 'db.sqlite3')))
  getActiveTest()!.cleanup(async () => {
    connection!.close()
    other!.close()
    await rm(folder, { recursive: true })
  })
  configureSqlite(connection!, () => {})
  connection!.exec('create table t (n)')
  other!.exec('begin immediate')
  return { connection: connection!, other: other! }
}

test.group('SQLite connection | lock of another process', () => {
  test('a write waits for the lock while other work goes on', async ({ assert }) => {
    const { connection, other } = await lockedFile()
    const written = Promise.resolve(connection.prepare('insert into t values (1)').run())
    assert.deepEqual(connection.prepare('select n from t').all(), [])
    other.exec('commit')
    await written
    assert.deepEqual(connection.prepare('select n from t').all(), [{ n: 1 }])
  })

  test('a transaction waits for the lock as well, before it has done anything', async ({
    assert,
  }) => {
    const { connection, other } = await lockedFile()
    const begun = Promise.resolve(connection.prepare('BEGIN;').run())
    assert.isFalse(connection.inTransaction)
    other.exec('insert into t values (2)')
    other.exec('commit')
    await begun
    assert.isTrue(connection.inTransaction)
    assert.deepEqual(connection.prepare('select n from t').all(), [{ n: 2 }])
    connection.prepare('COMMIT;').run()
  })

  test('a lock that is never free is an error, for those behind at once', async ({ assert }) => {
    const { connection } = await lockedFile()
    const write = async () => connection.prepare('insert into t values (1)').run()
    await assert.rejects(write, 'database is locked')
    await assert.rejects(write, 'database is locked')
  })

  test('a lock that was free once is waited for again', async ({ assert }) => {
    const { connection, other } = await lockedFile()
    const write = async () => connection.prepare('insert into t values (1)').run()
    await assert.rejects(write, 'database is locked')
    other.exec('commit')
    await write()
    other.exec('begin immediate')
    const written = write()
    other.exec('commit')
    await written
    assert.lengthOf(connection.prepare('select n from t').all(), 2)
  })
})

test.group('SQLite connection | failures of the disk', () => {
  /** A connection of the application's kind to a file of its own. */
  async function ownConnection(filename?: string) {
    const folder = await mkdtemp(join(tmpdir(), 'sqlite-'))
    db.manager.add('own', {
      client: 'better-sqlite3',
      connection: { filename: filename ?? join(folder, 'db.sqlite3') },
      useNullAsDefault: true,
      pool: { afterCreate: configureSqlite },
    })
    getActiveTest()!.cleanup(async () => {
      await db.manager.close('own', true)
      await rm(folder, { recursive: true })
    })
    return db.connection('own')
  }

  test('a connection that became read-only is replaced', async ({ assert }) => {
    const client = await ownConnection()
    await client.rawQuery('create table t (n)')
    await client.rawQuery('pragma query_only = on')
    await assert.rejects(() => client.table('t').insert({ n: 1 }), /readonly/)
    await client.table('t').insert({ n: 2 })
    assert.deepEqual(await client.from('t').select('n'), [{ n: 2 }])
  })

  test('so is one that became read-only under a statement of every request', async ({ assert }) => {
    const client = await ownConnection()
    await client.rawQuery('create table t (n)')
    await client.rawQuery('pragma query_only = on')
    const insert = () => selectRows(client, 'insert into t values (?) returning n', [1])
    await assert.rejects(insert, /readonly/)
    assert.deepEqual(await insert(), [{ n: 1 }])
  })

  test('a connection stays after any other failure', async ({ assert }) => {
    const client = await ownConnection(':memory:')
    await client.rawQuery('create table t (n unique)')
    await client.table('t').insert({ n: 1 })
    await assert.rejects(() => client.table('t').insert({ n: 1 }), /UNIQUE/)
    await assert.rejects(() => selectRows(client, 'insert into t values (1)', []), /UNIQUE/)
    assert.deepEqual(await client.from('t').select('n'), [{ n: 1 }])
  })

  test('a file that is no database is an error of its connection', async ({ assert }) => {
    const client = await ownConnection(import.meta.filename)
    await assert.rejects(() => client.rawQuery('select 1'), /not a database/)
  })

  test('a transaction that cannot be committed is rolled back', async ({ assert }) => {
    const connection = open()
    connection.exec('create table t (n primary key)')
    connection.exec('begin')
    connection.exec('create table child (n references t (n) deferrable initially deferred)')
    connection.exec('insert into child values (7)')
    await assert.rejects(async () => connection.prepare('COMMIT;').run(), /FOREIGN KEY/)
    assert.isFalse(connection.inTransaction)
  })
})
