import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { DatabaseSocialStore, MemorySocialStore } from '#kit/social/store'
import type { NewIdentity, SocialStore } from '#kit/social/types'
import { CONNECTIONS, useSecondConnection } from '#starter/helpers/databases'

/** One contract, every store. The database store runs on whatever DB_CONNECTION names. */
const STORES: { name: string; connection?: string; create: () => SocialStore }[] = [
  { name: 'memory', create: () => new MemorySocialStore() },
  ...CONNECTIONS.map(({ name, connection }) => ({
    name,
    connection,
    create: () => new DatabaseSocialStore(() => db.connection(connection)),
  })),
]

const ANN = { userId: 'ann', provider: 'users' }
const BOB = { userId: 'bob', provider: 'users' }
const OTHER_ANN = { userId: 'ann', provider: 'admins' }
const ISSUER = 'https://accounts.example'

function identity(fields: Partial<NewIdentity> = {}): NewIdentity {
  return {
    ...ANN,
    name: 'google',
    issuer: ISSUER,
    subject: 'one',
    email: 'ann@example.com',
    passwordMark: null,
    ...fields,
  }
}

for (const { name, connection, create } of STORES) {
  test.group(`Social store contract | ${name}`, (group) => {
    let store: SocialStore
    group.setup(useSecondConnection)
    group.each.setup(async () => {
      store = create()
      await db.connection(connection).from('social_identities').delete()
      await db.connection(connection).from('used_once').delete()
    })

    test('reads back what was inserted', async ({ assert }) => {
      const written = identity({ subject: 'Ünï "sub"', email: null, passwordMark: 'mark' })
      assert.isTrue(await store.insert(written))
      const found = await store.find(written)
      assert.deepInclude(found!, written)
      assert.isString(found!.id)
      assert.approximately(found!.createdAt, Date.now(), 5000)
      assert.equal(found!.lastUsedAt, found!.createdAt)
    })

    test('an identity is an issuer and a subject, and belongs to one user of a provider', async ({
      assert,
    }) => {
      await store.insert(identity())
      assert.isFalse(await store.insert(identity({ ...BOB, email: null })))
      assert.isTrue(await store.insert(identity({ ...BOB, subject: 'ONE' })))
      assert.isTrue(await store.insert(identity({ ...BOB, issuer: `${ISSUER}/` })))
      assert.isTrue(await store.insert(identity(OTHER_ANN)))
      assert.equal((await store.find(identity()))!.userId, ANN.userId)
      assert.isNull(await store.find(identity({ subject: 'two' })))
    })

    test('lists the identities of a user, the oldest first', async ({ assert }) => {
      for (const subject of ['b', 'a', 'c']) {
        await store.insert(identity({ subject }))
      }
      await store.insert(identity({ ...BOB, subject: 'd' }))
      await store.insert(identity({ ...OTHER_ANN, subject: 'e' }))
      const subjects = (await store.listFor(ANN)).map(({ subject }) => subject)
      assert.deepEqual(subjects, ['b', 'a', 'c'])
    })

    test('an account is made with its identity', async ({ assert }) => {
      const user = { made: true }
      const made = await store.insertWithAccount(identity(), async () => ({
        user,
        owner: BOB,
        passwordMark: 'mark',
      }))
      assert.equal(made, user)
      assert.deepInclude((await store.find(identity()))!, { ...BOB, passwordMark: 'mark' })
    })

    test('null, and no account, when the identity is somebody’s', async ({ assert }) => {
      await store.insert(identity())
      const made = await store.insertWithAccount(identity(), async (client) => {
        await client?.insertQuery().table('used_once').insert({ digest: 'x', expires_at: 1 })
        return { user: {}, owner: BOB, passwordMark: null }
      })
      assert.isNull(made)
      assert.lengthOf(await store.listFor(BOB), 0)
      assert.lengthOf(await db.connection(connection).from('used_once'), 0)
    })

    test('null when the account breaks a unique index; other failures are thrown', async ({
      assert,
    }) => {
      const taken = Object.assign(new Error('taken'), { code: '23505' })
      assert.isNull(await store.insertWithAccount(identity(), () => Promise.reject(taken)))
      const broken = new Error('broken')
      await assert.rejects(
        () => store.insertWithAccount(identity(), () => Promise.reject(broken)),
        'broken'
      )
      assert.isNull(await store.find(identity()))
    })

    test('notes when an identity was used, and its address', async ({ assert }) => {
      await store.insert(identity())
      const { id } = (await store.find(identity()))!
      await store.touch(id, 'new@example.com', 1_900_000_000_123)
      const found = await store.find(identity())
      assert.deepInclude(found!, { email: 'new@example.com', lastUsedAt: 1_900_000_000_123 })
    })

    test('deletes one of a user, and only theirs', async ({ assert }) => {
      await store.insert(identity())
      const { id } = (await store.find(identity()))!
      for (const owner of [BOB, OTHER_ANN]) {
        assert.equal(await store.delete(owner, id, { keepOne: null }), 'unknown')
      }
      assert.equal(await store.delete(ANN, 'x', { keepOne: null }), 'unknown')
      assert.deepInclude((await store.delete(ANN, id, { keepOne: null })) as object, identity())
      assert.isNull(await store.find(identity()))
    })

    test('keeps the last one whose provider is named', async ({ assert }) => {
      await store.insert(identity({ subject: 'a' }))
      await store.insert(identity({ subject: 'b', name: 'gone' }))
      const [a, b] = await store.listFor(ANN)
      assert.equal(await store.delete(ANN, a!.id, { keepOne: ['google'] }), 'last')
      assert.isObject(await store.delete(ANN, b!.id, { keepOne: ['google'] }))
      assert.equal(await store.delete(ANN, a!.id, { keepOne: ['google'] }), 'last')
      assert.isObject(await store.delete(ANN, a!.id, { keepOne: null }))
    })

    test('deletes all of a user', async ({ assert }) => {
      await store.insert(identity())
      await store.insert(identity({ ...BOB, subject: 'two' }))
      await store.insert(identity(OTHER_ANN))
      await store.deleteAll(ANN)
      assert.lengthOf(await store.listFor(ANN), 0)
      assert.lengthOf(await store.listFor(BOB), 1)
      assert.lengthOf(await store.listFor(OTHER_ANN), 1)
    })
  })
}
