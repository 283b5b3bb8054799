import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import {
  type SecurityLogRecord,
  type SecurityLogStore,
  type Selection,
  DatabaseSecurityLogStore,
  MemorySecurityLogStore,
} from '#kit/security_log/security_log'
import { CONNECTIONS, useSecondConnection } from '#starter/helpers/databases'

/** One contract, every store. The database store runs on whatever DB_CONNECTION names. */
const STORES: { name: string; connection?: string; create: () => SecurityLogStore }[] = [
  { name: 'memory', create: () => new MemorySecurityLogStore() },
  ...CONNECTIONS.map(({ name, connection }) => ({
    name,
    connection,
    create: () => new DatabaseSecurityLogStore(() => db.connection(connection)),
  })),
]

const ANN = { userId: '7', provider: 'users' }
const BOB = { userId: '8', provider: 'users' }
const OTHER_SEVEN = { userId: '7', provider: 'admins' }

function record(fields: Partial<SecurityLogRecord> = {}): SecurityLogRecord {
  return {
    ...ANN,
    type: 'signed_in',
    details: {},
    createdAt: 1_700_000_000_123,
    ipAddress: '127.0.0.1',
    userAgent: 'a browser',
    about: null,
    ...fields,
  }
}

for (const { name, connection, create } of STORES) {
  test.group(`Security log store contract | ${name}`, (group) => {
    let store: SecurityLogStore
    group.setup(useSecondConnection)
    group.each.setup(async () => {
      store = create()
      await db.connection(connection).from('security_events').delete()
    })

    test('reads back what was appended, to the millisecond', async ({ assert }) => {
      const written = record({
        type: 'passkey_added',
        details: { name: 'Ünï "key"', count: 3 },
        ipAddress: null,
        userAgent: null,
      })
      await store.append(written)
      assert.deepEqual(await store.latest(ANN, 10), [written])
    })

    test('lists the newest first, as many as asked, of this user of this provider', async ({
      assert,
    }) => {
      await store.append(record({ createdAt: 2, type: 'second' }))
      await store.append(record({ createdAt: 1, type: 'first' }))
      await store.append(record({ createdAt: 3, type: 'third' }))
      await store.append(record({ createdAt: 3, type: 'fourth' }))
      await store.append(record({ ...BOB, createdAt: 4 }))
      await store.append(record({ ...OTHER_SEVEN, createdAt: 4 }))
      const types = (await store.latest(ANN, 3)).map(({ type }) => type)
      assert.deepEqual(types, ['fourth', 'third', 'second'])
    })

    test('leaves out the newest, and lists some types alone or all but some', async ({
      assert,
    }) => {
      for (const [createdAt, type] of ['a', 'b', 'a', 'c'].entries()) {
        await store.append(record({ createdAt, type }))
      }
      const times = async (limit: number, selection: Selection) =>
        (await store.latest(ANN, limit, selection)).map((one) => one.createdAt)
      assert.deepEqual(await times(2, { offset: 1 }), [2, 1])
      assert.deepEqual(await times(9, { offset: 4 }), [])
      assert.deepEqual(await times(9, { only: ['a', 'b'] }), [2, 1, 0])
      assert.deepEqual(await times(9, { except: ['a', 'b'] }), [3])
      assert.deepEqual(await times(1, { only: ['a'], offset: 1 }), [0])
    })

    test('knows whether a user has an event of a type', async ({ assert }) => {
      await store.append(record({ ...BOB }))
      await store.append(record({ ...OTHER_SEVEN }))
      assert.isFalse(await store.has(ANN, ['signed_in', 'new_device']))
      await store.append(record({ type: 'new_device' }))
      assert.isTrue(await store.has(ANN, ['signed_in', 'new_device']))
      assert.isFalse(await store.has(ANN, ['signed_in']))
    })

    test('lists what is about one thing, the newest first, whoever did it', async ({ assert }) => {
      await store.append({ ...record({ createdAt: 1 }), about: 'workspace:1' })
      await store.append({ ...record({ createdAt: 2 }), ...BOB, about: 'workspace:1' })
      await store.append({ ...record({ createdAt: 3 }), about: 'workspace:11' })
      await store.append(record({ createdAt: 4 }))
      const instants = async (limit: number) =>
        (await store.about('workspace:1', limit)).map(({ createdAt }) => createdAt)
      assert.deepEqual(await instants(10), [2, 1])
      assert.deepEqual(await instants(1), [2])
    })

    test('forgets one user and no other', async ({ assert }) => {
      await store.append(record())
      await store.append(record(BOB))
      await store.append(record(OTHER_SEVEN))
      await store.forget(ANN)
      assert.lengthOf(await store.latest(ANN, 10), 0)
      assert.lengthOf(await store.latest(BOB, 10), 1)
      assert.lengthOf(await store.latest(OTHER_SEVEN, 10), 1)
    })

    test('a purge deletes events from the instant and before', async ({ assert }) => {
      for (const createdAt of [1, 2, 3]) {
        await store.append(record({ createdAt }))
      }
      assert.equal(await store.purge(2), 2)
      assert.deepEqual(
        (await store.latest(ANN, 10)).map(({ createdAt }) => createdAt),
        [3]
      )
    })
  })
}
