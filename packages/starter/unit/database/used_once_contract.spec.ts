import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { DatabaseUsedOnce, MemoryUsedOnce, type UsedOnce } from '#kit/database/records'
import { CONNECTIONS, useSecondConnection } from '#starter/helpers/databases'
import { USED_LEEWAY } from '#starter/helpers/time'

const STORES: { name: string; connection?: string; create: () => UsedOnce }[] = [
  { name: 'memory', create: () => new MemoryUsedOnce() },
  ...CONNECTIONS.map(({ name, connection }) => ({
    name,
    connection,
    create: () => new DatabaseUsedOnce(() => db.connection(connection)),
  })),
]

for (const { name, connection, create } of STORES) {
  test.group(`Used once contract | ${name}`, (group) => {
    let store: UsedOnce
    const clean = async () => void (await db.connection(connection).from('used_once').delete())
    group.setup(() => (connection ? useSecondConnection() : undefined))
    group.teardown(clean)
    group.each.setup(async () => {
      store = create()
      await clean()
    })

    test('a value is used once, also when it comes twenty times at once', async ({ assert }) => {
      for (let round = 0; round < 10; round++) {
        const used = await Promise.all(
          Array.from({ length: 20 }, () => store.use('dpop_proof', `proof ${round}`, 2000))
        )
        assert.lengthOf(used.filter(Boolean), 1)
      }
      assert.isTrue(await store.use('dpop_proof', 'another', 2000))
    })

    test('equal values of two kinds are different', async ({ assert }) => {
      assert.isTrue(await store.use('client_assertion', 'one', 2000))
      assert.isTrue(await store.use('identity_assertion', 'one', 2000))
      assert.isFalse(await store.use('client_assertion', 'one', 2000))
    })

    test('tells whether a value was used, without using it up', async ({ assert }) => {
      assert.isFalse(await store.isUsed('logout_token', 'one'))
      assert.isTrue(await store.use('logout_token', 'one', 2000))
      assert.isTrue(await store.isUsed('logout_token', 'one'))
      assert.isFalse(await store.isUsed('logout_token', 'two'))
      assert.isFalse(await store.isUsed('social_state', 'one'))
    })

    test('is purged a minute after it expired: no process whose clock is behind accepts it again', async ({
      assert,
    }) => {
      await store.use('social_state', 'one', 999.5)
      await store.use('social_state', 'two', 1001)
      assert.equal(await store.purge(USED_LEEWAY + 999), 0)
      assert.isFalse(await store.use('social_state', 'one', 1000))
      assert.equal(await store.purge(USED_LEEWAY + 1000), 1)
      assert.isTrue(await store.use('social_state', 'one', 1000))
      assert.isFalse(await store.use('social_state', 'two', 1001))
    })
  })
}
