import db from '@adonisjs/lucid/services/db'
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
