import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import {
  type MailCodeStore,
  DatabaseMailCodeStore,
  MemoryMailCodeStore,
} from '#kit/mail_code/store'
import { CONNECTIONS, useSecondConnection } from '#starter/helpers/databases'

/** One contract, every store. The database store runs on whatever DB_CONNECTION names. */
const STORES: { name: string; connection?: string; create: () => MailCodeStore }[] = [
  { name: 'memory', create: () => new MemoryMailCodeStore() },
  ...CONNECTIONS.map(({ name, connection }) => ({
    name,
    connection,
    create: () => new DatabaseMailCodeStore(() => db.connection(connection)),
  })),
]

const NOW = 1_900_000_000_000
const CODE = { id: 'one', hash: 'hash', tries: 2, expiresAt: NOW + 1 }

for (const { name, connection, create } of STORES) {
  test.group(`Mail code store contract | ${name}`, (group) => {
    let store: MailCodeStore
    group.setup(useSecondConnection)
    group.each.setup(async () => {
      store = create()
      await db.connection(connection).from('mail_codes').delete()
    })

    test('gives the hash for each try that is left', async ({ assert }) => {
      await store.insert(CODE)
      assert.equal(await store.try('one', NOW), 'hash')
      assert.equal(await store.try('one', NOW), 'hash')
      assert.isNull(await store.try('one', NOW))
      assert.isNull(await store.try('two', NOW))
    })

    test('tries at the same moment use up one each', async ({ assert }) => {
      await store.insert(CODE)
      const tries = await Promise.all([1, 2, 3, 4, 5].map(() => store.try('one', NOW)))
      assert.lengthOf(tries.filter(Boolean), 2)
    })

    test('a code at its end is expired', async ({ assert }) => {
      await store.insert(CODE)
      assert.isNull(await store.try('one', NOW + 1))
    })

    test('a code is consumed once, also at the same moment', async ({ assert }) => {
      await store.insert(CODE)
      const consumed = await Promise.all([1, 2, 3].map(() => store.consume('one')))
      assert.lengthOf(consumed.filter(Boolean), 1)
      assert.isNull(await store.try('one', NOW))
    })

    test('a purge deletes what has expired', async ({ assert }) => {
      for (const expiresAt of [1, 2, 3]) {
        await store.insert({ ...CODE, id: `code ${expiresAt}`, expiresAt })
      }
      assert.equal(await store.purge(2), 2)
      assert.isTrue(await store.consume('code 3'))
    })
  })
}
