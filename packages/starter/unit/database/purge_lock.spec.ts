import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { Purges, turnOn } from '#kit/database/purges'

const connection = () => db.connection()

const clientOf = (connectionSettings: object): any => ({
  dialect: { name: 'better-sqlite3' },
  getWriteClient: () => ({ client: { connectionSettings } }),
})

test.group('Turns of purges', () => {
  test('nobody has a turn while somebody else has it', async ({ assert }) => {
    const [one, other] = [turnOn(connection), turnOn(connection)]
    const outcome = await one(async () => {
      assert.isNull(await other(async () => assert.fail('two purge at once')))
      return 'done'
    })
    assert.deepEqual(outcome, { result: 'done' })
    assert.deepEqual(await other(async () => 1), { result: 1 })
  })

  test('work that fails ends the turn', async ({ assert }) => {
    const turn = turnOn(connection)
    await assert.rejects(() => turn(() => Promise.reject(new Error('broken'))), 'broken')
    assert.deepEqual(await turn(async () => 1), { result: 1 })
  })

  test('a database in memory has no other process', async ({ assert }) => {
    const turn = turnOn(() => clientOf({ filename: ':memory:' }))
    const outcome = await turn(() => turn(async () => 1))
    assert.deepEqual(outcome, { result: { result: 1 } })
    assert.isFalse(existsSync(':memory:-purge'))
  })

  test('a lock that cannot be taken is an error, and not the turn of somebody else', async ({
    assert,
    cleanup,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'turns-'))
    cleanup(() => rm(folder, { recursive: true }))
    const filename = join(folder, 'db.sqlite3')
    await writeFile(`${filename}-purge`, 'This is no database. '.repeat(100))
    const turn = turnOn(() => clientOf({ filename }))
    await assert.rejects(() => turn(async () => 1), /not a database/)
  })

  /** A client of PostgreSQL whose lock is asked for, and what is done in its transaction. */
  function postgres(lock: () => boolean) {
    const done: string[] = []
    const dialect = { name: 'postgres' }
    const trx = {
      dialect,
      isTransaction: true,
      rawQuery: async (sql: string) => {
        done.push(/pg_\w+/.exec(sql)![0])
        return { rows: [{ done: lock() }] }
      },
      rollback: async () => void done.push('ended'),
    }
    const client: any = { dialect, transaction: async () => trx }
    return { turn: turnOn(() => client), done }
  }

  test('on PostgreSQL a transaction has the lock, and ends with the turn', async ({ assert }) => {
    const { turn, done } = postgres(() => true)
    await turn(async () => done.push('work'))
    assert.deepEqual(done, ['pg_try_advisory_xact_lock', 'work', 'ended'])
  })

  test('on PostgreSQL a transaction without the lock ends at once', async ({ assert }) => {
    const taken = postgres(() => false)
    assert.isNull(await taken.turn(async () => assert.fail('it has no turn')))
    assert.deepEqual(taken.done, ['pg_try_advisory_xact_lock', 'ended'])
    const broken = postgres(() => {
      throw new Error('broken')
    })
    await assert.rejects(() => broken.turn(async () => 1), 'broken')
    assert.deepEqual(broken.done, ['pg_try_advisory_xact_lock', 'ended'])
  })

  test('a command waits for its turn', async ({ assert }) => {
    const order: string[] = []
    const purges = new Purges()
    purges.turn = turnOn(connection)
    purges.add({ name: 'things', interval: 60, run: async () => order.push('second') })
    let running!: Promise<unknown>
    await turnOn(connection)(async () => {
      running = purges.run()
      await new Promise((resolve) => setImmediate(resolve))
      order.push('first')
    })
    assert.deepEqual(await running, [{ name: 'things', deleted: 2 }])
    assert.deepEqual(order, ['first', 'second'])
  })

  test('purges of one process run one after another', async ({ assert }) => {
    const purges = new Purges()
    purges.turn = turnOn(connection)
    let running = 0
    const run = async () => {
      assert.equal(++running, 1)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      return 1
    }
    purges.add({ name: 'one', interval: 60, run })
    purges.add({ name: 'other', interval: 60, run })
    await Promise.all([purges.run(), purges.run()])
    assert.equal(running, 0)
  })

  test('writers go on while somebody has the turn', async ({ assert }) => {
    await turnOn(connection)(async () => {
      await db.transaction(async (trx) => {
        await trx.rawQuery('CREATE TABLE turn_test (id INTEGER)')
        await trx.rawQuery('DROP TABLE turn_test')
      })
    })
    assert.isTrue(true)
  })
})
