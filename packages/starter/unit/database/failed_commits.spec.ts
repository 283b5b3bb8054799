import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { isDatabaseUnavailable } from '#kit/database/errors'
import { reportFailedCommits } from '#kit/database/failed_commits'

/** A row of the table whose parent is missing is refused at the end of the transaction. */
async function createTable() {
  await dropTable()
  await db.rawQuery('CREATE TABLE commits_test_parents (id INTEGER PRIMARY KEY)')
  await db.rawQuery(
    `CREATE TABLE commits_test (id INTEGER PRIMARY KEY, parent INTEGER
     REFERENCES commits_test_parents (id) DEFERRABLE INITIALLY DEFERRED)`
  )
}

async function dropTable() {
  await db.rawQuery('DROP TABLE IF EXISTS commits_test')
  await db.rawQuery('DROP TABLE IF EXISTS commits_test_parents')
}

const orphan = { id: 1, parent: 7 }

test.group('A COMMIT that fails', (group) => {
  group.setup(createTable)
  group.teardown(dropTable)

  test('rejects the transaction, and nothing of it stays', async ({ assert }) => {
    await assert.rejects(
      () =>
        db.transaction(async (trx) => {
          await trx.insertQuery().table('commits_test').insert(orphan)
        }),
      /foreign key/i
    )
    assert.lengthOf(await db.from('commits_test'), 0)
  })

  test('rejects commit(), and no listener hears of a commit', async ({ assert }) => {
    const trx = await db.transaction()
    let isCommitted = false
    trx.after('commit', () => void (isCommitted = true))
    await trx.insertQuery().table('commits_test').insert(orphan)
    await assert.rejects(() => trx.commit(), /foreign key/i)
    assert.isTrue(trx.isCompleted)
    assert.isFalse(isCommitted)
  })

  test('leaves no transaction open on its connection', async ({ assert }) => {
    await db
      .transaction(async (trx) => trx.insertQuery().table('commits_test').insert(orphan))
      .catch(() => {})
    await db.transaction(async (trx) => {
      await trx.insertQuery().table('commits_test_parents').insert({ id: 7 })
      await trx.insertQuery().table('commits_test').insert(orphan)
    })
    assert.lengthOf(await db.from('commits_test'), 1)
  })
})

test('a BEGIN that fails rejects the transaction with its reason, and its work is not begun', async ({
  assert,
  cleanup,
}) => {
  const { prototype } = db.connection().getWriteClient().client.constructor
  const { _query: execute } = prototype
  cleanup(() => void (prototype._query = execute))
  const locked = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
  prototype._query = async function (connection: unknown, query: { sql: string }) {
    if (query.sql.startsWith('BEGIN')) {
      throw locked
    }
    return execute.call(this, connection, query)
  }
  let isBegun = false
  const acts = [() => db.transaction(), () => db.transaction(async () => void (isBegun = true))]
  for (const act of acts) {
    const error: any = await act().catch((failure: unknown) => failure)
    assert.equal(error.code, 'SQLITE_BUSY')
    assert.isTrue(isDatabaseUnavailable(error))
  }
  assert.isFalse(isBegun)
})

test('the clients of a process are guarded once, however many applications boot in it', ({
  assert,
}) => {
  const { transaction } = db.connection()
  reportFailedCommits(db)
  assert.strictEqual(db.connection().transaction, transaction)
})
