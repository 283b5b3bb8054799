import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { turnOn } from '#kit/database/purge_lock'
import { Purges } from '#kit/database/purges'

const connection = () => db.connection()

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

  test('a command waits for its turn', async ({ assert }) => {
    const order: string[] = []
    const purges = new Purges()
    purges.takeTurns(turnOn(connection))
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
    purges.takeTurns(turnOn(connection))
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
