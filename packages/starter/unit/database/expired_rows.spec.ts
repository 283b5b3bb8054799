import { mock } from 'node:test'

import type { ApplicationService } from '@adonisjs/core/types'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest, test } from '@japa/runner'

import { FeatureProvider } from '#kit/auth/feature_provider'
import { ExpiredRows, timeBudget } from '#kit/database/expired_rows'
import { Purges } from '#kit/database/purges'
import { recordStatements } from '#starter/helpers/statements'

const createRows = () => new ExpiredRows({ table: 'expiring_rows', key: 'key', column: 'expire' })

/** Rows without points stay. */
const createKeeping = () =>
  new ExpiredRows({ table: 'expiring_rows', key: 'key', column: 'expire', keep: 't.points = 0' })

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

  test('a batch is half as large after a slow statement, and twice after a fast one', async ({
    assert,
    cleanup,
  }) => {
    let [now, took] = [0, 0]
    const clock = mock.method(performance, 'now', () => (now += took))
    cleanup(() => clock.mock.restore())
    const sizesOf = async (milliseconds: number) => {
      await insert(400, 1000)
      took = milliseconds
      const sizes = new Set<number>()
      await recordStatements(
        () => createRows().purge(db.connection(), 1000),
        (sql) => sql.startsWith('delete') && sizes.add(sql.split('?').length - 2)
      )
      return [...sizes]
    }
    assert.deepEqual(await sizesOf(0), [100, 200])
    assert.deepEqual(await sizesOf(3), [100])
    assert.deepEqual(await sizesOf(4), [100])
    assert.deepEqual(await sizesOf(5), [100, 50, 25])
  }).skip(
    () => db.connection().dialect.name !== 'better-sqlite3',
    'Another driver looks at the clock, too'
  )

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
    let now = Date.now()
    const clock = mock.method(Date, 'now', () => now)
    cleanup(() => clock.mock.restore())
    await insert(2200, 1000)
    const rows = createKeeping()
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
    now += 24 * 3_600_000
    await run()
    await run()
    assert.lengthOf(await db.from('expiring_rows'), 0)
  }).timeout(30_000)

  test('ends when its time is up, and the next run goes on', async ({ assert }) => {
    await insert(1001, 1000)
    const rows = createRows()
    assert.equal(await rows.purge(db.connection(), 1000, timeBudget(0)), 100)
    assert.equal(await rows.purge(db.connection(), 1000), 901)
  })

  test('more rows of one instant than a statement reads are got past when all of them stay', async ({
    assert,
  }) => {
    await insert(450, 1000)
    await insert(3, 1001)
    await db.from('expiring_rows').where('expire', 1001).update({ points: 1 })
    assert.equal(await createKeeping().purge(db.connection(), 2000), 3)
    assert.lengthOf(await db.from('expiring_rows'), 450)
  })

  test('a run whose time was up while rows stayed is gone on with behind them', async ({
    assert,
  }) => {
    await insert(250, 1000)
    await db.rawQuery('UPDATE expiring_rows SET expire = CAST(SUBSTR(key, 6) AS INTEGER)')
    await insert(3, 1001)
    await db.from('expiring_rows').where('expire', 1001).update({ points: 1 })
    const rows = createKeeping()
    let deleted = 0
    for (let run = 0; run < 4; run++) {
      deleted += await rows.purge(db.connection(), 2000, timeBudget(0))
    }
    assert.equal(deleted, 3)
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
    purges.ended = (name, deleted) => ended.push([name, deleted])
    purges.add({ name: 'things', interval: 60, run: async () => 3 })
    purges.add({ name: 'others', interval: 60, run: () => Promise.reject(new Error('broken')) })
    await assert.rejects(() => purges.run(), 'broken')
    assert.deepEqual(ended, [
      ['things', 3],
      ['others', null],
    ])
  })

  test('a run is given up when its turn has not come for two minutes', async ({
    assert,
    cleanup,
  }) => {
    const purges = new Purges()
    let attempts = 0
    purges.turn = async () => {
      attempts++
      return null
    }
    purges.add({ name: 'things', interval: 60, run: async () => 1 })
    const began = Date.now()
    const clock = mock.method(Date, 'now', () => began + [0, 119_999, 120_000][attempts]!)
    cleanup(() => clock.mock.restore())
    await assert.rejects(() => purges.run(), /Another process is still deleting: no things/)
    assert.equal(attempts, 2)
  })

  /** Purges by a clock that moves by `tick`. */
  function timed() {
    mock.timers.enable({ apis: ['setInterval'] })
    getActiveTest()!.cleanup(() => mock.timers.reset())
    return { purges: new Purges(), tick: (seconds: number) => mock.timers.tick(seconds * 1000) }
  }

  /** Purges with one of things, once a minute. */
  function everyMinute(run: () => Promise<number>) {
    const { purges, tick } = timed()
    purges.add({ name: 'things', interval: 60, run })
    purges.start(() => {})
    return { purges, tick }
  }
  const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve))

  test('each runs when its interval is over, until they are stopped', async ({ assert }) => {
    let runs = 0
    const { purges, tick } = everyMinute(async () => ++runs)
    tick(59.999)
    await turnOfTheLoop()
    assert.equal(runs, 0)
    tick(0.001)
    await turnOfTheLoop()
    assert.equal(runs, 1)
    purges.stop()
    tick(600)
    await turnOfTheLoop()
    assert.equal(runs, 1)
  })

  test('those of a feature that names no interval run every five minutes', async ({ assert }) => {
    let runs = 0
    const { purges, tick } = timed()
    const container = { make: async () => purges }
    class ThingsProvider extends FeatureProvider {
      boot = () => this.purge('things', async () => ++runs)
    }
    await new ThingsProvider({ container } as unknown as ApplicationService).boot()
    purges.start(() => {})
    tick(299.999)
    await turnOfTheLoop()
    assert.equal(runs, 0)
    tick(0.001)
    await turnOfTheLoop()
    assert.equal(runs, 1)
  })

  test('a purge that outlasts its interval is left out, and runs at the next one', async ({
    assert,
  }) => {
    const running = Promise.withResolvers<number>()
    let runs = 0
    const { purges, tick } = everyMinute(() => (runs++, running.promise))
    for (let minute = 0; minute < 3; minute++) {
      tick(60)
      await turnOfTheLoop()
    }
    running.resolve(0)
    await turnOfTheLoop()
    assert.equal(runs, 1)
    tick(60)
    await turnOfTheLoop()
    assert.equal(runs, 2)
    purges.stop()
  })
})
