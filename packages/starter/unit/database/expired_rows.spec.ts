import { mock } from 'node:test'

import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { ExpiredRows, TimeBudget } from '#kit/database/expired_rows'
import { Purges } from '#kit/database/purges'
import { recordStatements } from '#starter/helpers/statements'

const createRows = () => new ExpiredRows({ table: 'expiring_rows', key: 'key', column: 'expire' })

async function insert(count: number, expire: number) {
  const rows = Array.from({ length: count }, (_, index) => ({ key: `${expire}-${index}`, expire }))
  for (let start = 0; start < count; start += 200) {
    await db.table('expiring_rows').multiInsert(rows.slice(start, start + 200))
  }
}

test.group('Expired rows', (group) => {
  group.setup(async () => {
    await db.connection().schema.createTable('expiring_rows', (table) => {
      table.string('key').primary()
      table.bigInteger('expire').index()
      table.integer('points').notNullable().defaultTo(0)
    })
    return () => db.connection().schema.dropTable('expiring_rows')
  })
  group.each.setup(async () => {
    await db.from('expiring_rows').delete()
  })

  test('goes in batches of at most 200, counts them all and keeps the rest', async ({ assert }) => {
    await insert(1201, 1000)
    await insert(3, 1001)
    let deleted = 0
    const statements = await recordStatements(async () => {
      deleted = await createRows().purge(db.connection(), 1000)
    })
    assert.equal(deleted, 1201)
    assert.isAtLeast(statements.length, (2 * 1201) / 200)
    assert.lengthOf(await db.from('expiring_rows'), 3)
  })

  test('every batch hands the event loop back before the next one', async ({ assert }) => {
    await insert(1201, 1000)
    let order = ''
    const timer = setInterval(() => (order += '.'), 0)
    await recordStatements(
      () => createRows().purge(db.connection(), 1000),
      () => (order += 'S')
    )
    clearInterval(timer)
    assert.match(order, /S/)
    assert.notInclude(order, 'SS')
  })

  test('many rows that stay are passed once, and again after a day', async ({
    assert,
    cleanup,
  }) => {
    await insert(2200, 1000)
    const rows = new ExpiredRows({
      table: 'expiring_rows',
      key: 'key',
      column: 'expire',
      keep: 't.points = 0',
    })
    const run = async () => {
      const statements = await recordStatements(() => rows.purge(db.connection(), 5000))
      return statements.length
    }
    const spread = 'UPDATE expiring_rows SET expire = CAST(SUBSTR(key, 6) AS INTEGER) / 10'
    await db.rawQuery(spread)
    assert.isAbove(await run(), 10)
    assert.isBelow(await run(), 5)

    await insert(3, 4000)
    await db.from('expiring_rows').where('expire', 4000).update({ points: 1 })
    assert.isBelow(await run(), 8)
    assert.lengthOf(await db.from('expiring_rows').where('expire', 4000), 0)

    await db.from('expiring_rows').update({ points: 1 })
    const now = Date.now()
    const clock = mock.method(Date, 'now', () => now + 25 * 3_600_000)
    cleanup(() => clock.mock.restore())
    await run()
    await run()
    assert.lengthOf(await db.from('expiring_rows'), 0)
  }).timeout(30_000)

  test('ends when its time is up, and the next run goes on', async ({ assert }) => {
    await insert(1001, 1000)
    const rows = createRows()
    assert.equal(await rows.purge(db.connection(), 1000, new TimeBudget(0)), 100)
    assert.equal(await rows.purge(db.connection(), 1000), 901)
  })

  test('on PostgreSQL a row that someone has locked is left, and nobody waits', async ({
    assert,
  }) => {
    await insert(3, 1000)
    const trx = await db.transaction()
    await trx.from('expiring_rows').where('key', '1000-0').forUpdate()
    const deleted = await createRows().purge(db.connection(), 1000)
    await trx.rollback()
    assert.equal(deleted, 2)
  }).skip(() => db.connection().dialect.name !== 'postgres', 'SQLite locks no rows')
})

test.group('Purges', () => {
  test('each tells how many records it deleted, and null when it failed', async ({ assert }) => {
    const purges = new Purges()
    const ended: unknown[] = []
    purges.watch((name, deleted) => ended.push([name, deleted]))
    purges.add({ name: 'things', interval: 60, run: async () => 3 })
    purges.add({ name: 'others', interval: 60, run: () => Promise.reject(new Error('broken')) })
    await assert.rejects(() => purges.run(), 'broken')
    assert.deepEqual(ended, [
      ['things', 3],
      ['others', null],
    ])
  })

  test('a purge that outlasts its interval is not started twice', async ({ assert }) => {
    const purges = new Purges()
    let running = 0
    let most = 0
    let rounds = 0
    const done = new Promise<void>((resolve) => {
      purges.add({
        name: 'slow things',
        interval: 0.001,
        async run() {
          most = Math.max(most, ++running)
          await new Promise((wake) => setTimeout(wake, 10))
          running--
          if (++rounds === 3) {
            resolve()
          }
          return 0
        },
      })
    })
    purges.start(() => {})
    await done
    purges.stop()
    assert.equal(most, 1)
  })
})
