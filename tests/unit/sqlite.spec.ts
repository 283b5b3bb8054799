import db from '@adonisjs/lucid/services/db'
import Database from 'better-sqlite3'
import { test } from '@japa/runner'

import { configureSqlite } from '#database/sqlite'

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

  test('waits for other processes, syncs as WAL allows, and enforces foreign keys', ({
    assert,
  }) => {
    const connection = open()
    assert.equal(connection.pragma('busy_timeout', { simple: true }), 10_000)
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

  test('keeps a bounded number of statements', ({ assert }) => {
    const connection = open()
    const first = connection.prepare('select 0')
    for (let number = 1; number <= 500; number++) {
      connection.prepare(`select ${number}`)
    }
    assert.notEqual(connection.prepare('select 0'), first)
  })
})
