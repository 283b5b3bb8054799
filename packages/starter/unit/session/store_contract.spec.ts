import { randomUUID } from 'node:crypto'

import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import type User from '#models/user'
import { DatabaseSessionStore } from '#kit/session/database_store'
import {
  type FoundSession,
  type SessionRecord,
  type SessionStore,
  MemorySessionStore,
} from '#kit/session/store'
import { CONNECTIONS, useSecondConnection } from '#starter/helpers/databases'
import { lookupStatements, recordStatements } from '#starter/helpers/statements'

/** One contract, every store. The database store runs on whatever DB_CONNECTION names. */
const STORES: { name: string; connection?: string; create: () => SessionStore }[] = [
  { name: 'memory', create: () => new MemorySessionStore() },
  ...CONNECTIONS.map(({ name, connection }) => ({
    name,
    connection,
    create: () => new DatabaseSessionStore(() => db.connection(connection)),
  })),
]

function record(fields: Partial<SessionRecord> = {}): SessionRecord {
  return {
    userId: null,
    guard: null,
    login: null,
    csrfToken: 'csrf',
    data: {},
    createdAt: 1000,
    lastActivity: 1000,
    expiresAt: Date.now() + 60_000,
    ...fields,
  }
}

for (const { name, connection, create } of STORES) {
  test.group(`Session store contract | ${name}`, (group) => {
    let store: SessionStore
    group.setup(useSecondConnection)
    group.each.setup(async () => {
      store = create()
      await db.connection(connection).from('sessions').delete()
    })

    test('reads back what was created, instants to the millisecond', async ({ assert }) => {
      const created = record({
        userId: '7',
        guard: 'web',
        data: { list: [1, 'two', null], deep: { a: { b: true } }, text: 'ünï\u0000code' },
        createdAt: 1_700_000_000_123,
        lastActivity: 1_700_000_000_456,
        expiresAt: 4_102_444_800_789,
      })
      await store.create('key', created)
      const found = await store.read('key')
      assert.deepEqual(found!.record, created)
    })

    test('keeps and lists what the login was, under a new key as well', async ({ assert }) => {
      const login = { sid: 'name', methods: ['pwd', 'otp'] }
      await store.create('key', record({ userId: 'a', guard: 'web', login }))
      await store.rename('key', 'new key')
      assert.deepEqual((await store.read('new key'))!.record.login, login)
      assert.deepEqual((await store.listFor('a', ['web']))[0]!.login, login)
    })

    test('destroys what comes from a sign-in at a provider, by person, session there, or both', async ({
      assert,
    }) => {
      const owner = { userId: 'a', guard: 'web' }
      const from = (subject: string, sid: string | null, issuer = 'https://one.example') => ({
        origin: { provider: 'one', label: 'One', issuer, subject, sid },
        methods: [],
      })
      const all = async () => {
        await store.destroyFor('a', ['web'])
        for (const [key, login] of Object.entries({
          first: from('ann', 's1'),
          second: from('ann', 's2'),
          nameless: from('ann', null),
          bob: from('bob', 's3'),
          elsewhere: from('ann', 's1', 'https://two.example'),
          here: { methods: [] },
        })) {
          await store.create(key, record({ ...owner, login: { sid: key, ...login } }))
        }
      }
      for (const { subject, sid, left } of [
        { subject: 'ann', sid: null, left: ['bob', 'elsewhere', 'here'] },
        { subject: null, sid: 's1', left: ['bob', 'elsewhere', 'here', 'nameless', 'second'] },
        { subject: 'ann', sid: 's1', left: ['bob', 'elsewhere', 'here', 'second'] },
        {
          subject: 'bob',
          sid: 's1',
          left: ['bob', 'elsewhere', 'first', 'here', 'nameless', 'second'],
        },
      ]) {
        await all()
        const destroyed = await store.destroyFrom({ issuer: 'https://one.example', subject, sid })
        const listed = await store.listFor('a', ['web'])
        assert.sameMembers(
          listed.map(({ key }) => key),
          left
        )
        assert.deepEqual(destroyed, Array(6 - left.length).fill(owner))
      }
    })

    test('destroys what comes from a sign-in through one of several providers with its issuer', async ({
      assert,
    }) => {
      const issuer = 'https://one.example'
      const seen = { issuer, subject: 'ann', sid: 's1' }
      for (const asked of [seen, { ...seen, sid: null }, { ...seen, subject: null }]) {
        for (const provider of ['one', 'o_e']) {
          const origin = { provider, label: 'One', ...seen }
          const login = { sid: provider, methods: [], origin }
          await store.create(provider, record({ userId: 'a', guard: 'web', login }))
        }
        const destroyed = await store.destroyFrom({ ...asked, through: 'o_e' })
        assert.deepEqual(destroyed, [{ userId: 'a', guard: 'web' }])
        assert.isNotNull(await store.read('one'))
        assert.lengthOf(await store.destroyFrom(asked), 1)
      }
    })

    test('destroys what comes from any sign-in at a provider, by its whole name', async ({
      assert,
    }) => {
      const issuer = 'https://one.example'
      for (const [key, provider] of Object.entries({ a: 'one', b: 'one', c: 'o_e', d: 'one"' })) {
        const origin = { provider, label: '"provider":"one"', issuer, subject: 'ann', sid: null }
        const login = { sid: key, methods: [], origin }
        await store.create(key, record({ userId: key, guard: 'web', login }))
      }
      await store.create('here', record({ userId: 'e', guard: 'web' }))
      const owners = [
        { userId: 'a', guard: 'web' },
        { userId: 'b', guard: 'web' },
      ]
      assert.sameDeepMembers(await store.destroyFrom({ provider: 'one' }), owners)
      const left = await Promise.all(['a', 'b', 'c', 'd', 'here'].map((key) => store.read(key)))
      assert.deepEqual(
        left.map((found) => found !== null),
        [false, false, true, true, true]
      )
      assert.deepEqual(await store.destroyFrom({ provider: 'o_e' }), [
        { userId: 'c', guard: 'web' },
      ])
      assert.lengthOf(await store.destroyFrom({ provider: 'one"' }), 1)
    })

    test('knows nothing of another key', async ({ assert }) => {
      await store.create('key', record())
      assert.isNull(await store.read('other'))
    })

    test('a patch sets, replaces and removes at any depth, and keeps the rest', async ({
      assert,
    }) => {
      await store.create('key', record({ data: { keep: 1, gone: 2, deep: { keep: 1, gone: 2 } } }))
      assert.isTrue(
        await store.patch(
          'key',
          [
            { path: ['gone'] },
            { path: ['deep', 'gone'] },
            { path: ['deep', 'added'], value: [1] },
            { path: ['new', 'branch'], value: 'x' },
          ],
          2000
        )
      )
      const found = await store.read('key')
      assert.deepEqual(found!.record.data, {
        keep: 1,
        deep: { keep: 1, added: [1] },
        new: { branch: 'x' },
      })
      assert.equal(found!.record.lastActivity, 2000)
    })

    test('patches at the same time all take effect', async ({ assert }) => {
      await store.create('key', record())
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          store.patch('key', [{ path: [`key${index}`], value: index }], 2000)
        )
      )
      const found = await store.read('key')
      assert.lengthOf(Object.keys(found!.record.data), 20)
    })

    test('a patch without changes records the activity', async ({ assert }) => {
      await store.create('key', record({ data: { a: 1 } }))
      assert.isTrue(await store.patch('key', [], 3000))
      const found = await store.read('key')
      assert.equal(found!.record.lastActivity, 3000)
      assert.deepEqual(found!.record.data, { a: 1 })
    })

    test('nothing that comes after the end brings a session back', async ({ assert }) => {
      await store.create('key', record())
      assert.isTrue(await store.destroy('key'))
      assert.isFalse(await store.destroy('key'))
      assert.isFalse(await store.patch('key', [{ path: ['a'], value: 1 }], 2000))
      assert.isFalse(await store.patch('key', [], 2000))
      assert.isFalse(await store.rename('key', 'new'))
      assert.isNull(await store.read('key'))
      assert.isNull(await store.read('new'))
    })

    test('a renamed session answers to the new key alone', async ({ assert }) => {
      const created = record({ data: { a: 1 }, userId: '1', guard: 'web' })
      await store.create('key', created)
      assert.isTrue(await store.rename('key', 'new'))
      assert.isNull(await store.read('key'))
      const found = await store.read('new')
      assert.deepEqual(found!.record, created)
    })

    test('destroys the sessions of one user under the named guards', async ({ assert }) => {
      await store.create('a1', record({ userId: 'a', guard: 'web' }))
      await store.create('a2', record({ userId: 'a', guard: 'web' }))
      await store.create('a3', record({ userId: 'a', guard: 'admin' }))
      await store.create('b1', record({ userId: 'b', guard: 'web' }))
      await store.create('guest', record())
      assert.equal(await store.destroyFor('a', ['web']), 2)
      assert.isNull(await store.read('a1'))
      assert.isNull(await store.read('a2'))
      for (const key of ['a3', 'b1', 'guest']) {
        assert.isNotNull(await store.read(key))
      }
    })

    test('lists the sessions of a user with where they come from, the latest activity first', async ({
      assert,
    }) => {
      const mine = { userId: 'a', guard: 'web' }
      const laptop = { ipAddress: '10.0.0.1', userAgent: 'a laptop' }
      const phone = { ipAddress: '10.0.0.2', userAgent: 'a phone' }
      await store.create('old', record({ ...mine, lastActivity: 1000 }), laptop)
      await store.create('new', record({ ...mine, lastActivity: 2000 }), phone)
      await store.create('unknown', record({ ...mine, lastActivity: 500 }))
      await store.create('other', record({ userId: 'b', guard: 'web' }), laptop)
      await store.create('elsewhere', record({ userId: 'a', guard: 'admin' }), laptop)
      const listed = await store.listFor('a', ['web'])
      assert.deepEqual(
        listed.map(({ key, lastActivity, ipAddress, userAgent }) => [
          key,
          lastActivity,
          ipAddress,
          userAgent,
        ]),
        [
          ['new', 2000, '10.0.0.2', 'a phone'],
          ['old', 1000, '10.0.0.1', 'a laptop'],
          ['unknown', 500, null, null],
        ]
      )
    })

    test('where a session comes from follows its activity, and moves to a new key', async ({
      assert,
    }) => {
      const phone = { ipAddress: '10.0.0.2', userAgent: 'a phone' }
      await store.create('key', record({ userId: 'a', guard: 'web' }))
      await store.patch('key', [], 2000, phone)
      await store.patch('key', [{ path: ['x'], value: 1 }], 3000)
      await store.rename('key', 'renamed')
      const [listed] = await store.listFor('a', ['web'])
      assert.include(listed, { key: 'renamed', lastActivity: 3000, ...phone })
    })

    test('destroys one session of a user, or all but one', async ({ assert }) => {
      const mine = { userId: 'a', guard: 'web' }
      for (const key of ['one', 'two', 'three']) {
        await store.create(key, record(mine))
      }
      await store.create('other', record({ userId: 'b', guard: 'web' }))
      assert.equal(await store.destroyFor('a', ['web'], { only: { key: 'other' } }), 0)
      assert.equal(await store.destroyFor('a', ['web'], { only: { key: 'one' } }), 1)
      assert.equal(await store.destroyFor('a', ['web'], { except: { key: 'two' } }), 1)
      const left = await store.listFor('a', ['web'])
      assert.deepEqual(
        left.map(({ key }) => key),
        ['two']
      )
      assert.isNotNull(await store.read('other'))
    })

    test('destroys one session, or all but one, by the name that it keeps when it takes a new key', async ({
      assert,
    }) => {
      const mine = { userId: 'a', guard: 'web' }
      for (const sid of ['one', 'onEE', 'two', 'three']) {
        await store.create(sid, record({ ...mine, login: { sid, methods: [] } }))
        await store.rename(sid, `${sid} renamed`)
      }
      await store.create('older', record(mine))
      const other = { userId: 'b', guard: 'web', login: { sid: 'other', methods: [] } }
      await store.create('other', record(other))
      assert.equal(await store.destroyFor('a', ['web'], { only: { sid: 'on' } }), 0)
      assert.equal(await store.destroyFor('a', ['web'], { only: { sid: 'ONEE' } }), 0)
      assert.equal(await store.destroyFor('a', ['web'], { only: { sid: 'other' } }), 0)
      assert.equal(await store.destroyFor('a', ['web'], { only: { sid: 'one' } }), 1)
      assert.equal(await store.destroyFor('a', ['web'], { only: { sid: 'one' } }), 0)
      assert.equal(await store.destroyFor('a', ['web'], { except: { sid: 'two' } }), 3)
      const left = await store.listFor('a', ['web'])
      assert.deepEqual(
        left.map(({ key }) => key),
        ['two renamed']
      )
      assert.isNotNull(await store.read('other'))
    })

    test('purges what has ended: at the very instant, and not a millisecond earlier', async ({
      assert,
    }) => {
      await store.create('ended', record({ expiresAt: 5000, lastActivity: 9000 }))
      await store.create('ends', record({ expiresAt: 6000, lastActivity: 9000 }))
      await store.create('lives', record({ expiresAt: 6001, lastActivity: 9000 }))
      assert.equal(await store.purge(6000, null), 2)
      assert.isNotNull(await store.read('lives'))
    })

    test('purges what has been idle, when there is an idle timeout', async ({ assert }) => {
      await store.create('idle', record({ lastActivity: 500 }))
      await store.create('edge', record({ lastActivity: 600 }))
      await store.create('busy', record({ lastActivity: 601 }))
      assert.equal(await store.purge(0, null), 0)
      assert.equal(await store.purge(0, 600), 2)
      assert.isNotNull(await store.read('busy'))
    })
  })
}

test.group('Database session store', (group) => {
  group.each.setup(async () => {
    await db.from('sessions').delete()
  })

  test('reads a session and its user in as few statements as the database allows', async ({
    assert,
  }) => {
    const manager = await app.container.make('auth_manager')
    const store = new DatabaseSessionStore(() => db.connection())
    const user = await UserFactory.create()
    await store.create('key', record({ userId: String(user.id), guard: 'web' }))
    await store.read('key', manager.users('users'))

    let found: FoundSession | null = null
    const statements = await recordStatements(async () => {
      found = await store.read('key', manager.users('users'))
    })

    const { user: read } = found as unknown as { user: User }
    assert.equal(read.id, user.id)
    assert.equal(read.email, user.email)
    assert.isTrue(read.isActive)
    assert.isTrue(read.$isPersisted)
    assert.lengthOf(statements, lookupStatements())
  })

  test('a user id that fits no key finds no user and breaks nothing', async ({ assert }) => {
    const manager = await app.container.make('auth_manager')
    const store = new DatabaseSessionStore(() => db.connection())
    for (const userId of [randomUUID(), '9'.repeat(30), 'x', '-1', '']) {
      const key = `key-${userId}`
      await store.create(key, record({ userId, guard: 'web' }))
      const found = await store.read(key, manager.users('users'))
      assert.isNull(found!.user)
      assert.equal(found!.record.userId, userId)
    }
  })
})
