import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import PersonalApiToken from '#kit/api_token/models/personal_api_token'
import { generateSecret, hashSecret } from '#kit/security/secrets'
import type { Users } from '#kit/auth/users'
import type { StoredToken } from '#kit/api_token/token'
import { useSecondConnection } from '#starter/helpers/databases'
import { REPOSITORIES, createUsers } from '#starter/helpers/fixtures/api_tokens'

const NOW = 1_800_000_000_000

function newToken(values: Partial<StoredToken> = {}): Omit<StoredToken, 'id'> {
  return {
    userId: '1',
    provider: 'users',
    name: 'laptop',
    hash: hashSecret(generateSecret()),
    abilities: ['posts:read', 'posts:write'],
    context: null,
    lastUsedAt: null,
    expiresAt: null,
    createdAt: NOW,
    ...values,
  }
}

for (const { name: store, connection, create: createRepository } of REPOSITORIES) {
  test.group(`API token repository (${store})`, (group) => {
    let users: Users

    group.setup(useSecondConnection)
    group.setup(async () => {
      users = await createUsers()
    })
    group.each.setup(() => testUtils.db(connection).wrapInGlobalTransaction())

    test('a token is found by its id with every field as it was given', async ({ assert }) => {
      const repository = createRepository()
      const full = newToken({ expiresAt: NOW + 1, lastUsedAt: NOW - 1, userId: 'a-uuid' })
      const bare = newToken({ name: null, abilities: ['*'] })

      for (const token of [full, bare]) {
        const id = await repository.create(token)
        assert.isString(id)
        const found = await repository.find(id, users)
        assert.deepEqual(found?.token, { ...token, id })
      }
    })

    test('every token gets an id of its own, also after the newest was deleted', async ({
      assert,
    }) => {
      const repository = createRepository()
      const ids: string[] = []
      for (let count = 0; count < 3; count++) {
        const id = await repository.create(newToken())
        ids.push(id)
        await repository.delete(id)
      }
      assert.lengthOf(new Set(ids), 3)
    })

    test('of one owner, the tokens whose context matches end', async ({ assert }) => {
      const repository = createRepository()
      const owner = { userId: '1', provider: 'users' }
      const [ending, staying] = [{ workspace: 1 }, { workspace: 2 }] as any[]
      const given = [
        { name: 'ends', context: ending },
        { name: 'of another context', context: staying },
        { name: 'without a context', context: null },
        { name: 'of another user', context: ending, userId: '2' },
        { name: 'of another provider', context: ending, provider: 'admins' },
      ]
      const ids: string[] = []
      for (const values of given) {
        ids.push(await repository.create(newToken(values)))
      }
      const matches = (context: any) => context.workspace === 1
      await db
        .connection(connection)
        .transaction(async (trx) => repository.endWhere!(owner, matches, trx))
      const found = await Promise.all(ids.map((id) => repository.find(id, users)))
      assert.isNull(found[0])
      assert.deepEqual(
        found.slice(1).map((one) => one?.token.name),
        given.slice(1).map(({ name }) => name)
      )
    })

    test('an expired token is still found, for its guard to judge', async ({ assert }) => {
      const repository = createRepository()
      const id = await repository.create(newToken({ expiresAt: 1 }))
      const found = await repository.find(id, users)
      assert.equal(found?.token.expiresAt, 1)
    })

    test('nothing is found or deleted for {what}')
      .with([
        { what: 'an id that nobody has', id: '999999999' },
        { what: 'zero', id: '0' },
        { what: 'a leading zero', id: '01' },
        { what: 'a negative id', id: '-1' },
        { what: 'another spelling of the number', id: '1e0' },
        { what: 'an id of 30 digits', id: '123456789012345678901234567890' },
        { what: 'an id just too large for the column', id: '9223372036854775808' },
        { what: 'letters', id: 'abc' },
        { what: 'an empty id', id: '' },
        { what: 'SQL', id: "1' OR '1'='1" },
        { what: 'a NUL byte', id: '1\0' },
      ])
      .run(async ({ assert }, { id }) => {
        const repository = createRepository()
        await repository.create(newToken())
        assert.isNull(await repository.find(id, users))
        assert.isNull(await repository.delete(id))
      })

    test('the list has the live tokens of one user of one provider, the oldest first', async ({
      assert,
    }) => {
      const repository = createRepository()
      const create = (name: string, values: Partial<StoredToken>) =>
        repository.create(newToken({ name, ...values }))

      await create('second', { createdAt: NOW + 1 })
      await create('third', { createdAt: NOW + 2, expiresAt: NOW + 11 })
      await create('expires at this very instant', { expiresAt: NOW + 10 })
      await create('of another user', { userId: '10' })
      await create('of another provider', { provider: 'admins' })
      if (store !== 'memory') {
        await create('first', { createdAt: NOW })
      }

      const listed = await repository.listFor('1', 'users', NOW + 10)
      const names = listed.map(({ name }) => name)
      assert.deepEqual(
        names,
        store !== 'memory' ? ['first', 'second', 'third'] : ['second', 'third']
      )
    })

    test('tokens of the same instant are listed in the order of their creation', async ({
      assert,
    }) => {
      const repository = createRepository()
      const ids: string[] = []
      for (let count = 0; count < 12; count++) {
        ids.push(await repository.create(newToken()))
      }
      const listed = await repository.listFor('1', 'users', NOW)
      assert.deepEqual(
        listed.map(({ id }) => id),
        ids
      )
    })

    test('a deleted token is returned once and gone', async ({ assert }) => {
      const repository = createRepository()
      const token = newToken()
      const id = await repository.create(token)
      const other = await repository.create(newToken())

      assert.deepEqual(await repository.delete(id), { ...token, id })
      assert.isNull(await repository.delete(id))
      assert.isNull(await repository.find(id, users))
      assert.isNotNull(await repository.find(other, users))
    })

    test('deleting the tokens of a user returns them all, expired ones too, and no others', async ({
      assert,
    }) => {
      const repository = createRepository()
      const own = [
        await repository.create(newToken()),
        await repository.create(newToken({ expiresAt: 1 })),
      ]
      const foreign = [
        await repository.create(newToken({ userId: '10' })),
        await repository.create(newToken({ provider: 'admins' })),
      ]

      const deleted = await repository.deleteFor('1', 'users')
      assert.sameMembers(
        deleted.map(({ id }) => id),
        own
      )
      assert.deepEqual(await repository.deleteFor('1', 'users'), [])
      for (const id of foreign) {
        assert.isNotNull(await repository.find(id, users))
      }
    })

    test('a user id with a NUL byte has no tokens', async ({ assert }) => {
      const repository = createRepository()
      await repository.create(newToken())
      assert.deepEqual(await repository.listFor('1\0', 'users', NOW), [])
      assert.deepEqual(await repository.deleteFor('1\0', 'users'), [])
    })

    test('a use is recorded unless one is recorded after "before"', async ({ assert }) => {
      const repository = createRepository()
      const id = await repository.create(newToken())
      const lastUsedAt = async () => {
        const found = await repository.find(id, users)
        return found?.token.lastUsedAt
      }

      await repository.recordUse(id, NOW, NOW - 60_000)
      assert.equal(await lastUsedAt(), NOW)
      await repository.recordUse(id, NOW + 59_999, NOW - 1)
      assert.equal(await lastUsedAt(), NOW)
      await repository.recordUse(id, NOW + 60_000, NOW)
      assert.equal(await lastUsedAt(), NOW + 60_000)
    })

    test('a use of a token that is gone changes nothing', async ({ assert }) => {
      const repository = createRepository()
      const id = await repository.create(newToken())
      await repository.delete(id)
      await repository.recordUse(id, NOW, NOW - 60_000)
      assert.isNull(await repository.find(id, users))
    })

    test('the purge deletes what has expired, counts it and leaves the rest', async ({
      assert,
    }) => {
      const repository = createRepository()
      /* What other tests have left in the database. */
      await repository.purge(NOW)
      const gone = [
        await repository.create(newToken({ expiresAt: NOW - 1 })),
        await repository.create(newToken({ expiresAt: NOW })),
      ]
      const kept = [
        await repository.create(newToken({ expiresAt: NOW + 1 })),
        await repository.create(newToken({ expiresAt: null })),
      ]

      assert.equal(await repository.purge(NOW), 2)
      assert.equal(await repository.purge(NOW), 0)
      for (const id of gone) {
        assert.isNull(await repository.find(id, users))
      }
      for (const id of kept) {
        assert.isNotNull(await repository.find(id, users))
      }
    })

    test('what a caller does to a token it was handed changes nothing', async ({ assert }) => {
      const repository = createRepository()
      const token = newToken()
      const id = await repository.create(token)
      token.abilities.push('admin')
      const found = await repository.find(id, users)
      found!.token.abilities.push('admin')
      const again = await repository.find(id, users)
      assert.deepEqual(again!.token.abilities, ['posts:read', 'posts:write'])
    })
  })
}

test.group('PersonalApiToken', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('a serialized row has no hash', async ({ assert }) => {
    const { hash, ...token } = newToken()
    const row = await PersonalApiToken.create({ ...token, token: hash })
    const read = await PersonalApiToken.findOrFail(row.id)

    assert.notInclude(JSON.stringify(read.serialize()), hash)
    assert.strictEqual(read.id, Number(row.id))
    assert.strictEqual(read.createdAt, NOW)
    assert.isNull(read.expiresAt)
    assert.deepEqual(read.abilities, ['posts:read', 'posts:write'])
  })
})
