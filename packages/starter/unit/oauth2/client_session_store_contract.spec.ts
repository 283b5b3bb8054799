import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import {
  type ClientSessionRecord,
  type ClientSessionStore,
  DatabaseClientSessionStore,
  MemoryClientSessionStore,
} from '#kit/oauth2/openid/logout/client_session_store'
import { isolate } from '#starter/helpers/oauth'

const STORES: [string, () => ClientSessionStore][] = [
  ['memory', () => new MemoryClientSessionStore()],
  ['database', () => new DatabaseClientSessionStore(() => db.connection())],
]

const NOW = 1_795_000_000_000

function record(fields: Partial<ClientSessionRecord> = {}): ClientSessionRecord {
  return {
    sid: 'session',
    clientId: 'client',
    userId: '7',
    provider: 'users',
    subject: '7',
    expiresAt: NOW + 1000,
    attempts: 0,
    dueAt: null,
    ...fields,
  }
}

for (const [name, create] of STORES) {
  test.group(`Client session store contract | ${name}`, (group) => {
    group.each.setup(isolate)

    test('a record comes back as it was; the same client and session is kept once', async ({
      assert,
    }) => {
      const store = create()
      await store.remember(record())
      await store.remember(record({ subject: 'another' }))
      await store.remember(record({ clientId: 'other' }))
      await store.remember(record({ sid: 'of somebody else', userId: '8' }))
      const found = await store.findLiving('7')
      assert.lengthOf(found, 2)
      assert.deepInclude(found, record())
    })

    test('what has ended is due, in the order of its end, and lives no more', async ({
      assert,
    }) => {
      const store = create()
      for (const sid of ['one', 'two', 'three']) {
        await store.remember(record({ sid }))
      }
      await store.end(['two'], NOW)
      await store.end(['one', 'two'], NOW + 5)
      const due = await store.findDue(NOW + 5, 10)
      assert.deepEqual(
        due.map(({ sid, dueAt }) => [sid, dueAt]),
        [
          ['two', NOW],
          ['one', NOW + 5],
        ]
      )
      assert.lengthOf(await store.findDue(NOW + 4, 10), 1)
      assert.lengthOf(await store.findDue(NOW + 5, 1), 1)
      assert.lengthOf(await store.findLiving('7'), 1)
    })

    test('what lives has lapsed from the instant of its end on, unless it is put off', async ({
      assert,
    }) => {
      const store = create()
      await store.remember(record({ expiresAt: NOW }))
      await store.remember(record({ sid: 'later' }))
      assert.lengthOf(await store.findLapsed(NOW - 1, 10), 0)
      assert.deepEqual(await store.findLapsed(NOW, 10), [record({ expiresAt: NOW })])
      assert.lengthOf(await store.findLapsed(NOW + 1000, 1), 1)
      await store.postpone('session', NOW + 2000)
      assert.lengthOf(await store.findLapsed(NOW, 10), 0)
      await store.end(['session', 'later'], NOW)
      assert.lengthOf(await store.findLapsed(NOW + 2000, 10), 0)
    })

    test('one of several claims an attempt, which puts the next one off', async ({ assert }) => {
      const store = create()
      await store.remember(record())
      await store.end(['session'], NOW)
      const [due] = await store.findDue(NOW, 10)
      const claims = await Promise.all([1, 2, 3].map(() => store.claim(due!, NOW + 30)))
      assert.lengthOf(claims.filter(Boolean), 1)
      assert.lengthOf(await store.findDue(NOW + 29, 10), 0)
      const [next] = await store.findDue(NOW + 30, 10)
      assert.equal(next!.attempts, 1)
    })

    test('a record that is deleted is gone', async ({ assert }) => {
      const store = create()
      await store.remember(record())
      await store.delete(record())
      assert.lengthOf(await store.findLiving('7'), 0)
      await store.end(['session'], NOW)
      assert.lengthOf(await store.findDue(NOW, 10), 0)
    })
  })
}
