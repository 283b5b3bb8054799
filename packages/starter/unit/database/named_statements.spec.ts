import { hash } from 'node:crypto'

import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { test } from '@japa/runner'

import { selectRows } from '#kit/database/raw_query'

const isPostgres = () => db.connection().dialect.name === 'postgres'

/** Names of the statements that the connection at hand keeps prepared for a text. */
async function preparedFor(text: string) {
  const { rows } = await db.rawQuery(
    'SELECT name FROM pg_prepared_statements WHERE statement = ?',
    [text]
  )
  return rows.length as number
}

test.group('Statements prepared by name', (group) => {
  group.each.setup(async () => {
    await db.connection().schema.createTable('named_rows', (table) => table.integer('one'))
    await db.table('named_rows').insert({ one: 1 })
    return () => db.connection().schema.dropTable('named_rows')
  })
  group.tap((each) => each.skip(() => !isPostgres(), 'PostgreSQL only'))

  test('a statement outside of transactions is prepared, and planned once', async ({ assert }) => {
    const sql = 'SELECT one FROM named_rows WHERE one = ?'
    for (let time = 0; time < 20; time++) {
      assert.deepEqual(await selectRows(db.connection(), sql, [1]), [{ one: 1 }])
    }
    assert.isAbove(await preparedFor(sql.replace('?', '$1')), 0)
  })

  test('inside a transaction it is not: a plan that no longer fits would end it', async ({
    assert,
  }) => {
    const trx = await db.transaction()
    await selectRows(trx, 'SELECT one AS inside FROM named_rows', [])
    await trx.commit()
    assert.equal(await preparedFor('SELECT one AS inside FROM named_rows'), 0)
  })

  test('a migration that changes the columns of an answer disturbs nobody', async ({ assert }) => {
    const read = () => selectRows(db.connection(), 'SELECT * FROM named_rows', [])
    for (let time = 0; time < 20; time++) {
      await read()
    }
    await db.rawQuery('ALTER TABLE named_rows ADD COLUMN two INTEGER DEFAULT 2')
    for (let time = 0; time < 20; time++) {
      assert.deepEqual(await read(), [{ one: 1, two: 2 }])
    }
  })

  test('any other failure is the caller’s', async ({ assert }) => {
    await assert.rejects(() => selectRows(db.connection(), 'SELECT nothing FROM named_rows', []))
  })
})

test.group('Names of statements', () => {
  /** A client of PostgreSQL that gives these answers in turn, and the names that it was asked by. */
  function postgres(...answers: (object[] | Error)[]) {
    const names: string[] = []
    const knexQuery = { options: ({ name }: { name: string }) => names.push(name) }
    const answer = async () => {
      const rows = answers.shift()!
      if (rows instanceof Error) {
        throw rows
      }
      return { rows }
    }
    const rawQuery = () => Object.assign(answer(), { knexQuery })
    const client = { isTransaction: false, dialect: { name: 'postgres' }, rawQuery }
    return { client: client as unknown as QueryClientContract, names }
  }
  const failure = (code: string, message: string) => Object.assign(new Error(message), { code })

  test('follow from the text alone, so that processes share connections through a pooler', async ({
    assert,
  }) => {
    const { client, names } = postgres([{ one: 1 }], [])
    assert.deepEqual(await selectRows(client, 'SELECT 1 AS one', []), [{ one: 1 }])
    assert.deepEqual(await selectRows(client, 'SELECT 2 AS one', []), [])
    const expected = ['SELECT 1 AS one', 'SELECT 2 AS one']
    assert.deepEqual(
      names,
      expected.map((sql) => hash('sha256', sql, 'base64url').slice(0, 32))
    )
  })

  test('are given up for good when the plan of a statement is out of date: a pooler has one for all names', async ({
    assert,
  }) => {
    const outdated = failure('0A000', 'cached plan must not change result type')
    const { client, names } = postgres(outdated, [{ one: 1 }], [], outdated)
    const read = () => selectRows(client, 'SELECT 3 AS one', [])
    assert.deepEqual(await read(), [{ one: 1 }])
    assert.deepEqual(await read(), [])
    await assert.rejects(read, outdated.message)
    assert.lengthOf(names, 1)
  })

  test('stay after any other failure, which is the caller’s', async ({ assert }) => {
    for (const error of [
      failure('0A000', 'cross-database references are not implemented'),
      failure('XX000', 'cached plan must not change result type'),
    ]) {
      const { client, names } = postgres(error)
      await assert.rejects(() => selectRows(client, 'SELECT 4 AS one', []), error.message)
      assert.lengthOf(names, 1)
    }
  })
})
