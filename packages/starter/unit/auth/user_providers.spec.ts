import { mock } from 'node:test'

import { randomUUID } from 'node:crypto'

import app from '@adonisjs/core/services/app'
import hash from '@adonisjs/core/services/hash'
import db from '@adonisjs/lucid/services/db'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import { test } from '@japa/runner'

import { defineConfig } from '#kit/auth/define_config'
import { AuthManager } from '#kit/auth/manager'
import { Bcrypt } from '@adonisjs/core/hash/drivers/bcrypt'
import { PasswordHasher } from '#kit/auth/password_hasher'
import {
  type UserProviderSpec,
  type UserProvider,
  MemoryUserProvider,
} from '#kit/auth/user_providers/user_provider'
import { LucidUserProvider } from '#kit/auth/user_providers/lucid'
import type { Users } from '#kit/auth/users'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import User from '#models/user'
import { createService } from '#starter/helpers/fixtures/api_tokens'

async function usersOf(spec: UserProviderSpec): Promise<Users> {
  const manager = new AuthManager(defineConfig({ providers: { users: spec } }), hash.use())
  await manager.build()
  await manager.warmUp()
  return manager.users('users')
}

/** Ann with her password, in every kind of provider. */
const KINDS: Record<string, () => Promise<{ users: Users; email: string }>> = {
  async lucid() {
    const { email } = await UserFactory.create()
    return { email, users: await usersOf({ driver: 'lucid', model: () => import('#models/user') }) }
  },
  async orm() {
    const { email } = await UserFactory.create()
    return { email, users: await usersOf({ driver: 'orm', model: User }) }
  },
  async model() {
    const { email } = await UserFactory.create()
    return { email, users: await usersOf({ driver: 'model', model: User }) }
  },
  async async_model() {
    const { email } = await UserFactory.create()
    return { email, users: await usersOf({ driver: 'async_model', model: User }) }
  },
  async memory() {
    const email = 'ann@example.com'
    const ann = { email, password: FACTORY_PASSWORD }
    return { email, users: await usersOf({ driver: 'memory', users: [ann] }) }
  },
  async instance() {
    const email = 'ann@example.com'
    const instance = new MemoryUserProvider({}, hash.use())
    await instance.add({ email, password: FACTORY_PASSWORD })
    return { email, users: await usersOf({ driver: 'instance', instance }) }
  },
  async factory() {
    const email = 'ann@example.com'
    const factory = async () => {
      const provider = new MemoryUserProvider({}, hash.use())
      await provider.add({ email, password: FACTORY_PASSWORD })
      return provider
    }
    return { email, users: await usersOf({ driver: 'factory', factory }) }
  },
}

for (const [kind, create] of Object.entries(KINDS)) {
  test.group(`User provider contract | ${kind}`, () => {
    test('finds a user by id, given as a number or as text', async ({ assert }) => {
      const { users, email } = await create()
      const user = await users.verify({ email, password: FACTORY_PASSWORD })
      const id = await users.provider.getIdentifier(user)
      for (const form of [id, String(id)]) {
        const found = await users.find(form)
        assert.equal(found.email, email)
      }
      assert.equal(users.identify(user), String(id))
    })

    test('finds several by their ids as text', async ({ assert }) => {
      const { users, email } = await create()
      const id = users.identify(await users.findByUsername(email))
      const found = await users.findAll([id, '999999999', '9'.repeat(19), 'x'])
      assert.deepEqual([...found.keys()], [id])
      assert.equal(found.get(id).email, email)
    })

    test('finds nobody under an id that is none', async ({ assert }) => {
      const { users } = await create()
      for (const id of [
        0,
        -1,
        999_999_999,
        2 ** 31,
        '9'.repeat(30),
        'x',
        '',
        "1' or '1'='1",
        '\u0000',
      ]) {
        assert.isNull(await users.find(id), String(id))
      }
    })

    test('verifies the right credentials and no others', async ({ assert }) => {
      const { users, email } = await create()
      const user = await users.verify({ email, password: FACTORY_PASSWORD })
      assert.equal(user.email, email)
      for (const credentials of [
        { email, password: 'wrong' },
        { email, password: '' },
        { email, password: FACTORY_PASSWORD.toUpperCase() },
        { email: 'nobody@example.com', password: FACTORY_PASSWORD },
        { email: '', password: FACTORY_PASSWORD },
        { email: '\u0000', password: FACTORY_PASSWORD },
        { email: { like: '%' }, password: FACTORY_PASSWORD },
        { password: FACTORY_PASSWORD },
        { email },
        {},
      ]) {
        assert.isNull(await users.verify(credentials))
      }
    })

    test('a new password replaces the old one', async ({ assert }) => {
      const { users, email } = await create()
      const user = await users.verify({ email, password: FACTORY_PASSWORD })
      await users.provider.updatePassword(user, 'another password')
      assert.isNull(await users.verify({ email, password: FACTORY_PASSWORD }))
      const verified = await users.verify({ email, password: 'another password' })
      assert.equal(verified.email, email)
    })
  })
}

test.group('User providers | options', (group) => {
  group.setup(async () => {
    await db.connection().schema.createTable('members', (table) => {
      table.string('uuid').primary()
      table.string('login')
      table.string('secret_hash')
      table.string('state')
    })
    return () => db.connection().schema.dropTable('members')
  })

  class Member extends BaseModel {
    @column({ isPrimary: true })
    declare uuid: string

    @column()
    declare login: string

    @column()
    declare secretHash: string

    @column()
    declare state: string
  }

  test('usernameField, passwordField, passwordKey, idField and an isActive callable', async ({
    assert,
  }) => {
    const uuid = '9b2f2f9e-5f3b-4c3e-8d8e-0a4f6a1c2d3e'
    await Member.create({
      uuid,
      login: 'ann',
      secretHash: await hash.make('her secret'),
      state: 'ok',
    })
    const users = await usersOf({
      driver: 'lucid',
      model: Member,
      usernameField: 'login',
      passwordField: 'secretHash',
      passwordKey: 'pin',
      idField: 'uuid',
      isActive: async (member: Member) => member.state === 'ok',
    })

    const member = await users.verify({ login: 'ann', pin: 'her secret' })
    assert.equal(users.identify(member), uuid)
    const found = await users.find(uuid)
    assert.equal(found.login, 'ann')
    assert.isNull(await users.verify({ login: 'ann', secretHash: 'her secret' }))

    await Member.query().update({ state: 'blocked' })
    assert.isNull(await users.verify({ login: 'ann', pin: 'her secret' }))
    assert.isNull(await users.findActive(uuid))
    assert.isNotNull(await users.find(uuid))

    await users.provider.updatePassword(member, 'new secret')
    await Member.query().update({ state: 'ok' })
    assert.isNotNull(await users.verify({ login: 'ann', pin: 'new secret' }))
  })

  test('isActive may be the name of an attribute', async ({ assert }) => {
    const users = await usersOf({
      driver: 'memory',
      isActive: 'enabled',
      users: [
        { email: 'on@example.com', password: 'secret', enabled: true },
        { email: 'off@example.com', password: 'secret', enabled: false },
      ],
    })
    assert.isNotNull(await users.verify({ email: 'on@example.com', password: 'secret' }))
    assert.isNull(await users.verify({ email: 'off@example.com', password: 'secret' }))
  })

  test('users in memory have the ids that they come with, and others the next number', async ({
    assert,
  }) => {
    const ids = [undefined, 7, undefined, 5, undefined]
    const added = ids.map((id, at) => ({
      ...(id && { id }),
      email: `${at}@example.com`,
      password: 'secret',
    }))
    const users = await usersOf({ driver: 'memory', users: added })
    const found = await Promise.all(added.map(({ email }) => users.findByUsername(email)))
    assert.deepEqual(
      found.map((user) => user.id),
      [1, 7, 3, 5, 6]
    )
    assert.equal((await users.find(7)).email, '1@example.com')
  })

  test('any object with the five methods is a provider, sync or async', async ({ assert }) => {
    const ann = { id: 'a-1', email: 'ann@example.com' }
    const instance: UserProvider = {
      retrieveById: (id) => (id === 'a-1' ? ann : null),
      retrieveByCredentials: async ({ email }) => (email === ann.email ? ann : null),
      validateCredentials: (_, { password }) => password === 'secret',
      getIdentifier: (user) => user.id,
      updatePassword: () => {},
    }
    const users = await usersOf({ driver: 'instance', instance })
    assert.equal(await users.verify({ email: ann.email, password: 'secret' }), ann)
    assert.isNull(await users.verify({ email: ann.email, password: 'wrong' }))
    assert.equal(await users.findActive('a-1'), ann)
    assert.isFalse(await users.hasNewPassword(ann))
    assert.isNull(users.passwordStamp(ann))
    assert.isNull(await users.join(db.connection()))
  })

  test('every method of a provider may be async, also the one that gives the identifier', async ({
    assert,
  }) => {
    const ann = { id: 'a-1', email: 'ann@example.com' }
    const instance: UserProvider = {
      retrieveById: async (id) => (id === 'a-1' ? ann : null),
      retrieveByCredentials: async ({ email }) => (email === ann.email ? ann : null),
      validateCredentials: async (_, { password }) => password === 'secret',
      getIdentifier: async (user) => user.id,
      updatePassword: async () => {},
      isActive: async () => true,
    }
    const owner = { userId: 'a-1', provider: 'users' }
    const fresh = () => usersOf({ driver: 'factory', factory: async () => instance })

    for (const read of [
      (users: Users) => users.find('a-1'),
      (users: Users) => users.findActive('a-1'),
      (users: Users) => users.findByUsername(ann.email),
      (users: Users) => users.verify({ email: ann.email, password: 'secret' }),
      (users: Users) => users.findAll(['a-1']).then((found) => found.get('a-1')),
      (users: Users) => users.resolve(ann),
    ]) {
      const users = await fresh()
      assert.deepEqual(users.ownerOf(await read(users)), owner)
    }
    const users = await fresh()
    assert.equal(await users.idOf(ann), 'a-1')
    assert.throws(() => users.identify({ ...ann }), /has an async getIdentifier/)

    const service = createService()
    const { plainText } = await service.create(await fresh(), { ...ann })
    assert.lengthOf(await service.list(await fresh(), { ...ann }), 1)
    assert.lengthOf(await service.list(await fresh(), { ...ann, id: 'a-2' }), 0)
    assert.include(await service.verify(plainText, await fresh()), { user: ann })
    assert.equal(await service.revokeAll(await fresh(), { ...ann }), 1)
  })

  test('a cheap hash is renewed in a way of its own, where the provider has one', async ({
    assert,
  }) => {
    const calls: string[] = []
    const provider: UserProvider = {
      retrieveById: () => null,
      retrieveByCredentials: () => ({}),
      validateCredentials: () => true,
      getIdentifier: () => 1,
      needsRehash: () => true,
      updatePassword: () => void calls.push('updated'),
    }
    const login = async (instance: UserProvider) => {
      const users = await usersOf({ driver: 'instance', instance })
      await users.verify({ email: 'ann@example.com', password: 'secret' })
    }
    await login(provider)
    await login({ ...provider, renewPassword: () => void calls.push('renewed') })
    assert.deepEqual(calls, ['updated', 'renewed'])
  })

  test('a store may be joined to a model that is not loaded yet', async ({ assert }) => {
    const provider = new LucidUserProvider({ model: async () => ({ default: User }) }, hash.use())
    const join = await provider.join(db.connection())
    assert.include(join!.select, 'FROM "users"')
    assert.equal(await provider.join(db.connection()), join)
  })

  test('a Lucid provider without a model, and an object that lacks a method, are refused by name', async ({
    assert,
  }) => {
    for (const model of [undefined, 'User', {}]) {
      await assert.rejects(
        () => usersOf({ driver: 'lucid', model } as any),
        'The user provider "users" has no "model"'
      )
    }
    await assert.rejects(
      () => usersOf({ driver: 'factory', factory: 'x' as any }),
      'The user provider "users": "factory" must be a function'
    )
    await assert.rejects(
      () => usersOf({ driver: 'instance', instance: { retrieveById: () => null } as any }),
      'The user provider "users" is not usable: it has no retrieveByCredentials, validateCredentials, getIdentifier, updatePassword'
    )
    await assert.rejects(
      () => usersOf({ driver: 'factory', factory: () => ({}) as any }),
      /it has no retrieveById, retrieveByCredentials,/
    )
  })
})

test.group('User model', () => {
  test('a user that was just made is active before it is read again', async ({ assert }) => {
    const email = `${randomUUID()}@example.com`
    const user = await User.create({ email, password: 'a secret of mine' })
    assert.isTrue(user.isActive)
    await user.refresh()
    assert.isTrue(user.isActive)
  })

  test('a new password is on the user at hand, and saving it hashes nothing twice', async ({
    assert,
  }) => {
    const users = await usersOf({ driver: 'lucid', model: User })
    const user = await UserFactory.create()
    await users.provider.updatePassword(user, 'another password')
    assert.deepEqual(user.$dirty, {})
    await user.merge({ fullName: 'Renamed' }).save()
    const stored = await User.findOrFail(user.id)
    assert.equal(user.password, stored.password)
    assert.isTrue(await hash.verify(stored.password, 'another password'))
  })
})

test.group('Users', () => {
  test('every failed attempt costs one comparison of a hash', async ({ assert }) => {
    let count = 0
    let made = 0
    const hasher = {
      make: (value: string) => {
        made++
        return hash.make(value)
      },
      needsReHash: () => false,
      verify: (hashed: string, plain: string) => {
        count++
        return hash.verify(hashed, plain)
      },
    }
    const manager = new AuthManager(
      defineConfig({
        providers: {
          users: {
            driver: 'memory',
            isActive: 'active',
            users: [
              { email: 'ann@example.com', password: 'secret', active: true },
              { email: 'off@example.com', password: 'secret', active: false },
            ],
          },
        },
      }),
      hasher
    )
    await manager.build()
    await manager.warmUp()
    const users = manager.users('users')
    const madeAtStart = made
    for (const [email, password] of [
      ['ann@example.com', 'wrong'],
      ['off@example.com', 'secret'],
      ['off@example.com', 'wrong'],
      ['nobody@example.com', 'secret'],
    ]) {
      count = 0
      assert.isNull(await users.verify({ email, password }))
      assert.equal(count, 1, email)
    }
    assert.equal(made, madeAtStart)
  })

  test('a password of more than 1,024 characters is refused without work', async ({ assert }) => {
    const users = await usersOf({
      driver: 'memory',
      users: [{ email: 'a@example.com', password: 'x'.repeat(1025) }],
    })
    assert.isNull(await users.verify({ email: 'a@example.com', password: 'x'.repeat(1025) }))
    const user = await users.findByUsername('a@example.com')
    assert.isFalse(await users.hasPassword(user, 'x'.repeat(1025)))
    assert.isFalse(await users.hasPassword(user, undefined))
  })
})

test.group('Password hasher', () => {
  test('hashes at the given rounds, in AdonisJS format', async ({ assert }) => {
    assert.match(await new PasswordHasher({ rounds: 5 }).make('secret'), /^\$bcrypt\$v=98\$r=5\$/)
  })

  test('a password is the same however a keyboard composes its characters', async ({ assert }) => {
    const hasher = new PasswordHasher({ rounds: 4 })
    const [composed, decomposed] = ['pass\u00e9', 'passe\u0301']
    for (const stored of [composed, decomposed]) {
      const hashed = await hasher.make(stored)
      assert.isTrue(await hasher.verify(hashed, composed))
      assert.isTrue(await hasher.verify(hashed, decomposed))
      assert.isFalse(await hasher.verify(hashed, 'passe'))
    }
  })

  test('a hash that was made without composing goes on working', async ({ assert }) => {
    const decomposed = 'passe\u0301'
    const hashed = await new Bcrypt({ rounds: 4 }).make(decomposed)
    assert.isTrue(await new PasswordHasher({ rounds: 4 }).verify(hashed, decomposed))
  })

  test('how many comparisons a verification takes depends on the typed password alone', async ({
    assert,
  }) => {
    const hasher = new PasswordHasher({ rounds: 4 })
    const verify = mock.method(Bcrypt.prototype, 'verify')
    const hashes = [await hasher.make('pass\u00e9'), await hasher.make('another')]
    const counts = []
    for (const typed of ['pass\u00e9', 'passe\u0301']) {
      for (const hashed of hashes) {
        verify.mock.resetCalls()
        await hasher.verify(hashed, typed)
        counts.push(verify.mock.callCount())
      }
    }
    verify.mock.restore()
    assert.deepEqual(counts, [1, 1, 2, 2])
  })

  test('bytes past the 72nd matter', async ({ assert }) => {
    const hasher = new PasswordHasher({ rounds: 4 })
    for (const common of ['a'.repeat(72), 'ä'.repeat(36), '🔑'.repeat(18), 'a'.repeat(500)]) {
      const hashed = await hasher.make(`${common}x`)
      assert.isTrue(await hasher.verify(hashed, `${common}x`))
      assert.isFalse(await hasher.verify(hashed, `${common}y`))
      assert.isFalse(await hasher.verify(hashed, common))
    }
  })

  test('NUL does not end a password', async ({ assert }) => {
    const hasher = new PasswordHasher({ rounds: 4 })
    const hashed = await hasher.make('a\u0000b')
    assert.isFalse(await hasher.verify(hashed, 'a\u0000c'))
    assert.isFalse(await hasher.verify(hashed, 'a'))
  })

  test('a hash is renewed when it costs less than the configured rounds, and only then', async ({
    assert,
  }) => {
    const hashed = await new PasswordHasher({ rounds: 5 }).make('secret')
    assert.isTrue(new PasswordHasher({ rounds: 6 }).needsReHash(hashed))
    assert.isFalse(new PasswordHasher({ rounds: 5 }).needsReHash(hashed))
    assert.isFalse(new PasswordHasher({ rounds: 4 }).needsReHash(hashed))
    assert.isTrue(new PasswordHasher({ rounds: 4 }).needsReHash('plain text'))
  })

  test('a login that renews the hash does not bring back a password that is changed meanwhile', async ({
    assert,
  }) => {
    const { users, email } = await KINDS.lucid!()
    const { provider } = users
    const readByLogin = await provider.retrieveByCredentials({ email })
    await provider.updatePassword(await provider.retrieveByCredentials({ email }), 'changed')
    await provider.renewPassword!(readByLogin, FACTORY_PASSWORD)
    assert.isNotNull(await users.verify({ email, password: 'changed' }))
    assert.isNull(await users.verify({ email, password: FACTORY_PASSWORD }))
  })

  test('nor does one of the memory provider, and without a change the new hash stays', async ({
    assert,
  }) => {
    const { users, email } = await KINDS.memory!()
    const { provider } = users
    const user = await provider.retrieveByCredentials({ email })
    const before = user.password
    await provider.renewPassword!(user, FACTORY_PASSWORD)
    assert.notEqual(user.password, before)
    assert.equal(await users.verify({ email, password: FACTORY_PASSWORD }), user)

    const changed = await hash.make('changed')
    const renewal = provider.renewPassword!(user, FACTORY_PASSWORD)
    user.password = changed
    await renewal
    assert.equal(user.password, changed)
  })

  test('the hash service of the application is this hasher', async ({ assert }) => {
    const service = await app.container.make('hash')
    const long = 'a'.repeat(72)
    assert.isFalse(await service.verify(await service.make(`${long}x`), `${long}y`))
  })
})
