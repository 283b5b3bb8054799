import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import type { AssertionStore } from 'adonis-auth-kit/oauth2/clients/assertions/assertion_store'
import { DatabaseTokenStore } from 'adonis-auth-kit/oauth2/tokens/database_token_store'
import { MemoryTokenStore } from 'adonis-auth-kit/oauth2/tokens/memory_token_store'
import type { TokenStore } from 'adonis-auth-kit/oauth2/tokens/token_store'
import { CONNECTIONS, useSecondConnection } from '#starter/helpers/databases'

const STORES = [
  { name: 'memory', connection: undefined, make: (): TokenStore => new MemoryTokenStore() },
  ...CONNECTIONS.map(({ name, connection }) => ({
    name,
    connection,
    make: (): TokenStore => new DatabaseTokenStore(() => db.connection(connection)),
  })),
]

for (const { name, connection, make } of STORES) {
  test.group(`Assertion store contract | ${name}`, (group) => {
    let tokens: TokenStore
    let store: AssertionStore
    group.setup(() => (connection ? useSecondConnection() : undefined))
    group.each.setup(async () => {
      tokens = make()
      store = tokens.assertions
      const clean = async () =>
        void (await db.connection(connection).from('oauth_used_assertions').delete())
      await clean()
      return clean
    })

    test('an assertion is used once, also when it comes twenty times at once', async ({
      assert,
    }) => {
      for (let round = 0; round < 10; round++) {
        const used = await Promise.all(
          Array.from({ length: 20 }, () => store.use(`digest ${round}`, 2000))
        )
        assert.lengthOf(used.filter(Boolean), 1)
      }
      assert.isTrue(await store.use('another', 2000))
    })

    test('is remembered until it expires, and then purged', async ({ assert }) => {
      await store.use('one', 1000)
      assert.equal(await tokens.purge(999, 0), 0)
      assert.isFalse(await store.use('one', 1000))
      assert.equal(await tokens.purge(1000, 0), 1)
      assert.isTrue(await store.use('one', 1000))
    })
  })
}
