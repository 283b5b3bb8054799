import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import type { KeptRecords } from '#kit/database/records'
import type { PushedRecord } from '#kit/oauth2/par/pushed_requests'
import type { TokenStore } from '#kit/oauth2/tokens/token_store'
import { generateSecret, hashSecret } from '#kit/security/secrets'
import { useSecondConnection } from '#starter/helpers/databases'
import { CREATED, EXPIRES, STORES, USER } from '#starter/helpers/oauth_records'

for (const { name, connection, tokens } of STORES) {
  test.group(`Pushed store contract | ${name}`, (group) => {
    let store: TokenStore
    let pushed: KeptRecords<PushedRecord>
    const clean = async () => {
      await db.connection(connection).from('oauth_pushed_requests').delete()
    }
    group.setup(() => (connection ? useSecondConnection() : undefined))
    group.teardown(clean)
    group.each.setup(async () => {
      store = tokens()
      pushed = store.pushed
      await clean()
    })

    async function inserted() {
      const record = {
        uriHash: hashSecret(generateSecret()),
        clientId: 'client',
        parameters: { state: 'ünï "quoted"', scope: 'posts:read' },
        createdAt: CREATED,
        expiresAt: EXPIRES,
      }
      await pushed.insert(record)
      return record
    }

    test('reads back what was inserted', async ({ assert }) => {
      const record = await inserted()
      assert.deepEqual(await pushed.find(record.uriHash), record)
      assert.isNull(await pushed.find('unknown'))
    })

    test('of many at once one takes a request, and then it is gone', async ({ assert }) => {
      const { uriHash } = await inserted()
      const taken = await Promise.all(Array.from({ length: 20 }, () => pushed.take(uriHash)))
      assert.lengthOf(taken.filter(Boolean), 1)
      assert.isNull(await pushed.find(uriHash))
    })

    test('a request can be kept longer; one that was taken does not come back', async ({
      assert,
    }) => {
      const { uriHash } = await inserted()
      await pushed.extend(uriHash, EXPIRES + 1)
      assert.equal((await pushed.find(uriHash))!.expiresAt, EXPIRES + 1)
      await pushed.take(uriHash)
      await pushed.extend(uriHash, EXPIRES + 2)
      assert.isNull(await pushed.find(uriHash))
    })

    test('a request that waits for its decision is found by the hash of its handle', async ({
      assert,
    }) => {
      const waiting = {
        ...USER,
        handleHash: hashSecret(generateSecret()),
        sessionHash: null,
        parameters: { state: 'x' },
        createdAt: CREATED,
        expiresAt: EXPIRES,
      }
      await store.pending.insert(waiting)
      assert.deepEqual(await store.pending.find(waiting.handleHash), waiting)
      assert.isTrue(await store.pending.take(waiting.handleHash))
      assert.isNull(await store.pending.find(waiting.handleHash))
    })

    test('a purge deletes expired ones', async ({ assert }) => {
      const { uriHash } = await inserted()
      assert.equal(await store.purge(EXPIRES - 1, CREATED), 0)
      assert.isNotNull(await pushed.find(uriHash))
      assert.equal(await store.purge(EXPIRES, CREATED), 1)
      assert.isNull(await pushed.find(uriHash))
    })
  })
}
