import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import {
  DatabaseKeyStore,
  type KeyRecord,
  type KeyStore,
  MemoryKeyStore,
} from '#kit/oauth2/keys/key_store'
import { CONNECTIONS, useSecondConnection } from '#starter/helpers/databases'

const STORES = [
  { name: 'memory', connection: undefined, make: (): KeyStore => new MemoryKeyStore() },
  ...CONNECTIONS.map(({ name, connection }) => ({
    name,
    connection,
    make: (): KeyStore => new DatabaseKeyStore(() => db.connection(connection)),
  })),
]

const record = (fields: Partial<KeyRecord> = {}): KeyRecord => ({
  kid: 'kid',
  algorithm: 'ES256',
  sealed: 'a.b.c',
  createdAt: 1_700_000_000_123,
  signsAt: 1_700_003_600_456,
  ...fields,
})

for (const { name, connection, make } of STORES) {
  test.group(`Key store contract | ${name}`, (group) => {
    let store: KeyStore
    group.setup(() => (connection ? useSecondConnection() : undefined))
    group.each.setup(async () => {
      store = make()
      const clean = async () => void (await db.connection(connection).from('oauth_keys').delete())
      await clean()
      return clean
    })

    test('reads back what was inserted, the key that signs first before the others', async ({
      assert,
    }) => {
      const late = record({ kid: 'late', signsAt: 3 })
      const early = record({ kid: 'early', signsAt: 1, createdAt: 9 })
      await store.insert(late)
      await store.insert(early)
      await store.insert(record())
      assert.deepEqual(await store.list(), [early, late, record()])
    })

    test('deletes a key once', async ({ assert }) => {
      await store.insert(record())
      await store.insert(record({ kid: 'other' }))
      assert.isTrue(await store.delete('kid'))
      assert.isFalse(await store.delete('kid'))
      assert.deepEqual(await store.list(), [record({ kid: 'other' })])
    })
  })
}
