import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import type { TokenStore } from 'adonis-auth-kit/oauth2/tokens/token_store'
import { useSecondConnection } from '#starter/helpers/databases'
import { CREATED, EXPIRES, STORES } from '#starter/helpers/oauth_records'

for (const { name, connection, tokens } of STORES) {
  test.group(`Proof store contract | ${name}`, (group) => {
    let store: TokenStore
    const clean = async () => {
      await db.connection(connection).from('oauth_dpop_proofs').delete()
    }
    group.setup(() => (connection ? useSecondConnection() : undefined))
    group.teardown(clean)
    group.each.setup(async () => {
      store = tokens()
      await clean()
    })

    test('a proof is used once, however many try at once', async ({ assert }) => {
      const used = await Promise.all(
        Array.from({ length: 20 }, () => store.proofs.use('one', EXPIRES))
      )
      assert.lengthOf(used.filter(Boolean), 1)
      assert.isTrue(await store.proofs.use('another', EXPIRES))
    })

    test('a purge deletes those that are too old to be accepted', async ({ assert }) => {
      await store.proofs.use('one', EXPIRES)
      assert.equal(await store.purge(EXPIRES - 1, CREATED), 0)
      assert.isFalse(await store.proofs.use('one', EXPIRES))
      assert.equal(await store.purge(EXPIRES, CREATED), 1)
      assert.isTrue(await store.proofs.use('one', EXPIRES))
    })
  })
}
