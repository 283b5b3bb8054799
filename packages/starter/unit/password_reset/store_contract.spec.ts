import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import {
  type PasswordResetRecord,
  type PasswordResetStore,
  DatabasePasswordResetStore,
  MemoryPasswordResetStore,
} from '#kit/password_reset/store'
import { CONNECTIONS, useSecondConnection } from '#starter/helpers/databases'

/** One contract, every store. The database store runs on whatever DB_CONNECTION names. */
const STORES: { name: string; connection?: string; create: () => PasswordResetStore }[] = [
  { name: 'memory', create: () => new MemoryPasswordResetStore() },
  ...CONNECTIONS.map(({ name, connection }) => ({
    name,
    connection,
    create: () => new DatabasePasswordResetStore('users', connection),
  })),
]

const EMAIL = 'ann@example.com'

function record(fields: Partial<PasswordResetRecord> = {}): PasswordResetRecord {
  return {
    token: 'a'.repeat(64),
    createdAt: 1_700_000_000_123,
    expiresAt: 1_700_003_600_123,
    ...fields,
  }
}

for (const { name, connection, create } of STORES) {
  test.group(`Password reset store contract | ${name}`, (group) => {
    let store: PasswordResetStore
    group.setup(useSecondConnection)
    group.each.setup(async () => {
      store = create()
      await db.connection(connection).from('password_reset_tokens').delete()
    })

    test('reads back what was written, instants to the millisecond', async ({ assert }) => {
      assert.isTrue(await store.replace(EMAIL, record(), 0))
      assert.deepEqual(await store.find(EMAIL), record())
      assert.isNull(await store.find('bob@example.com'))
    })

    test('a newer token replaces the one that is there', async ({ assert }) => {
      const newer = record({ token: 'b'.repeat(64), createdAt: 1_700_000_060_123 })
      await store.replace(EMAIL, record(), 0)
      assert.isTrue(await store.replace(EMAIL, newer, record().createdAt))
      assert.deepEqual(await store.find(EMAIL), newer)
    })

    test('a token that was made after the given instant is kept', async ({ assert }) => {
      const newer = record({ token: 'b'.repeat(64) })
      await store.replace(EMAIL, record(), 0)
      assert.isFalse(await store.replace(EMAIL, newer, record().createdAt - 1))
      assert.deepEqual(await store.find(EMAIL), record())
    })

    test('of several replacements at once one wins', async ({ assert }) => {
      const written = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          store.replace(EMAIL, record({ token: String(index).repeat(64) }), record().createdAt - 1)
        )
      )
      assert.lengthOf(written.filter(Boolean), 1)
      const winner = await store.find(EMAIL)
      assert.equal(winner?.token, String(written.indexOf(true)).repeat(64))
    })

    test('consumes exactly the token that is named, once', async ({ assert }) => {
      await store.replace(EMAIL, record(), 0)
      assert.isFalse(await store.consume(EMAIL, 'b'.repeat(64)))
      assert.isFalse(await store.consume('bob@example.com', record().token))
      const consumed = await Promise.all(
        Array.from({ length: 5 }, () => store.consume(EMAIL, record().token))
      )
      assert.lengthOf(consumed.filter(Boolean), 1)
      assert.isNull(await store.find(EMAIL))
    })

    test('purges what expires at or before now, and nothing else', async ({ assert }) => {
      await store.replace('a@example.com', record({ expiresAt: 1000 }), 0)
      await store.replace('b@example.com', record({ expiresAt: 1001 }), 0)
      assert.equal(await store.purge(1000), 1)
      assert.isNull(await store.find('a@example.com'))
      assert.isNotNull(await store.find('b@example.com'))
    })
  })
}

test.group('Password reset store | database', () => {
  test('the token of one broker is nothing to another', async ({ assert }) => {
    const [users, admins] = ['users', 'admins'].map((name) => new DatabasePasswordResetStore(name))
    await users!.replace(EMAIL, record(), 0)
    assert.isNull(await admins!.find(EMAIL))
    assert.isFalse(await admins!.consume(EMAIL, record().token))
    assert.isTrue(await admins!.replace(EMAIL, record({ token: 'b'.repeat(64) }), 0))
    const kept = await users!.find(EMAIL)
    assert.equal(kept?.token, record().token)
  })
})
