import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import BetterSqlite3 from 'better-sqlite3'

import { DirectConnection } from '#kit/database/direct_connection'
import {
  type Program,
  affectedRows,
  changeRows,
  runProgram,
  selectRows,
} from '#kit/database/raw_query'
import { recordStatements } from '#starter/helpers/statements'

const isSqlite = () => db.connection().dialect.name === 'better-sqlite3'

const INSERT = 'INSERT INTO statement_rows (name) VALUES (?) RETURNING name'

function* addBoth(first: string, second: string | null): Program<number> {
  yield { sql: 'INSERT INTO statement_rows (name) VALUES (?)', bindings: [first] }
  yield { sql: 'INSERT INTO statement_rows (name) VALUES (?)', bindings: [second] }
  const rows = yield { sql: 'SELECT name FROM statement_rows', bindings: [] }
  return rows.length
}

const names = async () => {
  const rows = await selectRows(
    db.connection(),
    'SELECT name FROM statement_rows ORDER BY name',
    []
  )
  return rows.map(({ name }) => name)
}

test.group('Statements of every request', (group) => {
  group.each.setup(async () => {
    await db
      .connection()
      .schema.createTable('statement_rows', (table) => table.text('name').notNullable())
    return () => db.connection().schema.dropTable('statement_rows')
  })

  test('a program runs in one transaction and returns its result', async ({ assert }) => {
    assert.equal(await runProgram(db.connection(), () => addBoth('a', 'b')), 2)
    assert.deepEqual(await names(), ['a', 'b'])
  })

  test('a program that fails leaves nothing behind', async ({ assert }) => {
    await assert.rejects(() => runProgram(db.connection(), () => addBoth('a', null)))
    assert.deepEqual(await names(), [])
    assert.equal(await runProgram(db.connection(), () => addBoth('a', 'b')), 2)
  })

  test('programs of one turn of the event loop share a commit', async ({ assert }) => {
    const statements = await recordStatements(() =>
      Promise.all([
        runProgram(db.connection(), () => addBoth('a', 'b')),
        runProgram(db.connection(), () => addBoth('c', 'd')),
        changeRows(db.connection(), { sql: INSERT, bindings: ['e'] }),
      ])
    )
    assert.lengthOf(
      statements.filter((statement) => /^(BEGIN|COMMIT)/.test(statement)),
      2
    )
    assert.deepEqual(await names(), ['a', 'b', 'c', 'd', 'e'])
  }).skip(() => !isSqlite(), 'SQLite only')

  test('a program that fails takes no other one of its turn with it', async ({ assert }) => {
    const outcomes = await Promise.allSettled([
      runProgram(db.connection(), () => addBoth('a', 'b')),
      runProgram(db.connection(), () => addBoth('c', null)),
      changeRows(db.connection(), { sql: INSERT, bindings: ['d'] }),
    ])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled']
    )
    assert.deepEqual(await names(), ['a', 'b', 'd'])
  })

  test('a turn with more programs than a transaction holds loses none', async ({ assert }) => {
    const rows = Array.from({ length: 120 }, (_, index) => `row ${index}`)
    await Promise.all(
      rows.map((name) => changeRows(db.connection(), { sql: INSERT, bindings: [name] }))
    )
    assert.sameMembers(await names(), rows)
  })

  test('a program whose commit is refused fails', async ({ assert }) => {
    await db.rawQuery(
      'CREATE TABLE statement_children (name TEXT REFERENCES users(email) DEFERRABLE INITIALLY DEFERRED)'
    )
    try {
      const orphan = 'INSERT INTO statement_children (name) VALUES (?) RETURNING name'
      const outcomes = await Promise.allSettled([
        changeRows(db.connection(), { sql: INSERT, bindings: ['a'] }),
        changeRows(db.connection(), { sql: orphan, bindings: ['of nobody'] }),
      ])
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected']
      )
      assert.deepEqual(await names(), ['a'])
    } finally {
      await db.rawQuery('DROP TABLE statement_children')
    }
  })

  test('statements join the transaction of their caller', async ({ assert }) => {
    const trx = await db.connection().transaction()
    await runProgram(trx, () => addBoth('a', 'b'))
    await selectRows(trx, 'INSERT INTO statement_rows (name) VALUES (?) RETURNING name', ['c'])
    await trx.rollback()
    assert.deepEqual(await names(), [])
  })

  test('a statement waits while another caller has the connection in a transaction', async ({
    assert,
  }) => {
    const trx = await db.connection().transaction()
    await trx.insertQuery().table('statement_rows').insert({ name: 'a' })
    if (isSqlite()) {
      assert.isNull(DirectConnection.of(db.connection()))
    }
    const reading = names()
    await trx.commit()
    await reading
    assert.deepEqual(await names(), ['a'])
  })

  test('dates and booleans are stored as Knex stores them', async ({ assert }) => {
    const sql = 'SELECT ? AS yes, ? AS no, ? AS at'
    const bindings = [true, false, new Date(1500)]
    const stored = [{ yes: 1, no: 0, at: 1500 }]
    assert.deepEqual(await selectRows(db.connection(), sql, bindings), stored)
    assert.deepEqual(await db.rawQuery(sql, bindings), stored)
  }).skip(() => !isSqlite(), 'PostgreSQL has booleans')

  test('the number of affected rows is read from a number, and from a list with one', ({
    assert,
  }) => {
    assert.deepEqual([2, [2], []].map(affectedRows), [2, 2, 0])
  })

  test('Lucid reports queries when a connection is being debugged', async ({ assert }) => {
    const client = db.connection()
    client.debug = true
    assert.isNull(DirectConnection.of(client))
  })

  test('listeners of Knex hear of every statement', async ({ assert }) => {
    const statements = await recordStatements(() =>
      runProgram(db.connection(), () => addBoth('a', 'b'))
    )
    assert.lengthOf(statements, 5)
    assert.match(statements[0]!, /^BEGIN/)
    assert.match(statements.at(-1)!, /^COMMIT/)
  })

  test('a lock of another process is waited for without holding up this one', async ({
    assert,
  }) => {
    const other = new BetterSqlite3(
      (db.connection().getWriteClient().client as any).connectionSettings.filename
    )
    other.exec('BEGIN IMMEDIATE')
    let isHeldUp = true
    setTimeout(() => {
      isHeldUp = false
      other.exec('COMMIT')
      other.close()
    }, 100)
    await runProgram(db.connection(), () => addBoth('a', 'b'))
    assert.isFalse(isHeldUp)
    assert.deepEqual(await names(), ['a', 'b'])
  }).skip(() => !isSqlite(), 'SQLite only')
})

test.group('Statements inside the transaction of a test', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('a global transaction holds everything', async ({ assert }) => {
    assert.isNull(DirectConnection.of(db.connection()))
    const rows = await selectRows(db.connection(), 'SELECT 1 AS one', [])
    assert.deepEqual(rows, [{ one: 1 }])
  })
})
