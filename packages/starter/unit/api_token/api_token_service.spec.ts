import { mock } from 'node:test'
import { inspect } from 'node:util'

import emitter from '@adonisjs/core/services/emitter'
import logger from '@adonisjs/core/services/logger'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

import { hashSecret } from '#kit/security/secrets'
import { Refusal } from '#kit/auth/outcome'
import type { Users } from '#kit/auth/users'
import { MemoryApiTokenRepository } from '#kit/api_token/store'
import { useSecondConnection } from '#starter/helpers/databases'
import { REPOSITORIES, createService, createUsers } from '#starter/helpers/fixtures/api_tokens'

const NOW = 1_800_000_000_000

let users: Users

test.group('API tokens / create', (group) => {
  group.each.setup(async () => {
    users = await createUsers()
  })

  test('the plain text is {id}|{secret} with a secret of at least 256 bits of [A-Za-z0-9]', async ({
    assert,
  }) => {
    const created = await createService().create(users, 1)
    assert.match(created.plainText, /^1\|[A-Za-z0-9]{43,}$/)
    assert.equal(created.details.id, '1')
  })

  test('two tokens share no secret', async ({ assert }) => {
    const service = createService()
    const secrets = [await service.create(users, 1), await service.create(users, 1)].map(
      ({ plainText }) => plainText.split('|')[1]
    )
    assert.notEqual(secrets[0], secrets[1])
  })

  test('only SHA-256 of the secret is stored', async ({ assert }) => {
    const repository = new MemoryApiTokenRepository()
    const { plainText } = await createService({}, repository).create(users, 1)
    const [id, secret] = plainText.split('|')

    const stored = repository.find(id!)!.token
    assert.equal(stored.hash, hashSecret(secret!))
    assert.notInclude(JSON.stringify(stored), secret!)
  })

  test('nothing but plainText shows the secret of a new token', async ({ assert }) => {
    const created = await createService().create(users, 1, { name: 'laptop' })
    const secret = created.plainText.split('|')[1]

    for (const shown of [
      inspect(created, { showHidden: true, getters: true, depth: null }),
      JSON.stringify(created),
      JSON.stringify({ ...created }),
      String(created),
    ]) {
      assert.notInclude(shown, secret!)
      assert.notInclude(shown, hashSecret(secret!))
    }
    assert.include(JSON.stringify(created), 'laptop')
    assert.include(inspect(created), 'laptop')
  })

  test('the owner is a user or an id, and is stored as text', async ({ assert }) => {
    const service = createService()
    const user = await users.find(1)
    for (const owner of [user, 1, '1']) {
      const { details } = await service.create(users, owner)
      assert.strictEqual(details.userId, '1')
    }
  })

  test('an id that no user has is refused', async ({ assert }) => {
    await assert.rejects(() => createService().create(users, 99), /no such user/)
  })

  test('a user that was never saved is refused', async ({ assert }) => {
    await assert.rejects(() => createService().create(users, { email: 'new' }), /no identifier/)
  })

  test('no abilities, null and an empty list mean everything')
    .with([undefined, null, []])
    .run(async ({ assert }, abilities) => {
      const { details } = await createService().create(users, 1, { abilities })
      assert.deepEqual(details.abilities, ['*'])
    })

  test('abilities and name are kept as given, a repeated ability once', async ({ assert }) => {
    const { details } = await createService().create(users, 1, {
      name: "Ann's laptop",
      abilities: ['posts:read', 'posts:write', 'posts:read'],
    })
    assert.deepEqual(details.abilities, ['posts:read', 'posts:write'])
    assert.equal(details.name, "Ann's laptop")
    const unnamed = await createService().create(users, 1)
    assert.isNull(unnamed.details.name)
    const longest = await createService().create(users, 1, { name: 'x'.repeat(255) })
    assert.lengthOf(longest.details.name!, 255)
  })

  test('{what} is refused and creates nothing')
    .with([
      { what: 'abilities that are no list', options: { abilities: 'posts:read' } },
      { what: 'an ability that is no text', options: { abilities: [1] } },
      { what: 'an empty ability', options: { abilities: [''] } },
      { what: 'an ability with a NUL byte', options: { abilities: ['a\0'] } },
      { what: 'a name that is no text', options: { name: 1 } },
      { what: 'a name of 256 characters', options: { name: 'x'.repeat(256) } },
      { what: 'a name with a NUL byte', options: { name: 'a\0' } },
      { what: 'an invalid date', options: { expiresAt: new Date('never') } },
      { what: 'an invalid DateTime', options: { expiresAt: DateTime.invalid('never') } },
      { what: 'a number as expiry', options: { expiresAt: 1_800_000_000 } },
      { what: 'a context that is a text', options: { context: 'workspace_id' } },
      { what: 'a context that is a list', options: { context: ['workspace_id'] } },
    ])
    .run(async ({ assert }, { options }) => {
      const service = createService()
      await assert.rejects(
        () => service.create(users, 1, options as any),
        /of an API token must be/
      )
      assert.lengthOf(await service.list(users, 1), 0)
    })

  test('without ttl and expiry a token never expires', async ({ assert }) => {
    const { details } = await createService().create(users, 1)
    assert.isNull(details.expiresAt)
  })

  test('ttl is the default lifetime in seconds, and an explicit expiry wins', async ({
    assert,
    cleanup,
  }) => {
    mock.timers.enable({ apis: ['Date'], now: NOW })
    cleanup(() => mock.timers.reset())
    const service = createService({ ttl: 90 })
    const expiry = async (expiresAt?: Date | DateTime | null) => {
      const { details } = await service.create(users, 1, { expiresAt })
      return details.expiresAt?.getTime()
    }

    assert.equal(await expiry(), NOW + 90_000)
    assert.equal(await expiry(null), NOW + 90_000)
    assert.equal(await expiry(new Date(NOW + 5)), NOW + 5)
    assert.equal(await expiry(DateTime.fromMillis(NOW + 7).setZone('Asia/Tokyo')), NOW + 7)
  })
})

test.group('API tokens / verify', (group) => {
  group.each.setup(async () => {
    users = await createUsers()
  })
  group.each.teardown(() => mock.timers.reset())

  test('the plain text gives its token and owner', async ({ assert }) => {
    const service = createService()
    const { plainText } = await service.create(users, 1, { abilities: ['posts:read'] })
    const verified = await service.verify(plainText, users)
    assert.notInstanceOf(verified, Refusal)
    const { user, token } = verified as Exclude<typeof verified, Refusal>
    assert.equal((user as any).email, 'ann@example.com')
    assert.deepEqual(token.abilities, ['posts:read'])
  })

  test('the secret of one token does not open another', async ({ assert }) => {
    const service = createService()
    const first = await service.create(users, 1)
    const second = await service.create(users, 1)
    const mixed = `${first.details.id}|${second.plainText.split('|')[1]}`
    assert.instanceOf(await service.verify(mixed, users), Refusal)
  })

  test('the stored hash is no secret', async ({ assert }) => {
    const repository = new MemoryApiTokenRepository()
    const service = createService({}, repository)
    const { details } = await service.create(users, 1)
    const { hash } = repository.find(details.id)!.token
    assert.instanceOf(await service.verify(`${details.id}|${hash}`, users), Refusal)
  })

  test('a token is worth nothing from the instant at which it expires', async ({ assert }) => {
    mock.timers.enable({ apis: ['Date'], now: NOW })
    const service = createService()
    const { plainText } = await service.create(users, 1, { expiresAt: new Date(NOW + 1000) })

    mock.timers.setTime(NOW + 999)
    assert.notInstanceOf(await service.verify(plainText, users), Refusal)
    mock.timers.setTime(NOW + 1000)
    assert.instanceOf(await service.verify(plainText, users), Refusal)
    assert.lengthOf(await service.list(users, 1), 0)
  })

  test('a token of one user provider is worth nothing with another', async ({ assert }) => {
    const service = createService()
    const admins = await createUsers('admins')
    const { plainText } = await service.create(users, 1)

    assert.notInstanceOf(await service.verify(plainText, users), Refusal)
    assert.instanceOf(await service.verify(plainText, admins), Refusal)
    assert.lengthOf(await service.list(admins, 1), 0)
    assert.equal(await service.revokeAll(admins, 1), 0)
    assert.notInstanceOf(await service.verify(plainText, users), Refusal)
  })

  test('the token of an inactive owner is refused and kept', async ({ assert }) => {
    const service = createService()
    const owner = (await users.find(2)) as any
    const { plainText } = await service.create(users, owner)
    assert.instanceOf(await service.verify(plainText, users), Refusal)

    owner.active = true
    assert.notInstanceOf(await service.verify(plainText, users), Refusal)
  })

  test('the token of an owner who is gone is refused and deleted: {name}')
    .setup(useSecondConnection)
    .with(REPOSITORIES)
    .run(async ({ assert, cleanup }, { create, connection }) => {
      cleanup(await testUtils.db(connection).wrapInGlobalTransaction())
      const service = createService({}, create())
      const { plainText, details } = await service.create(users, { id: 77 })

      assert.instanceOf(await service.verify(`${details.id}|${'x'.repeat(43)}`, users), Refusal)
      assert.lengthOf(await service.list(users, 77), 1)
      assert.instanceOf(await service.verify(plainText, users), Refusal)
      assert.lengthOf(await service.list(users, 77), 0)
    })
})

test.group('API tokens / last use', (group) => {
  group.each.setup(async () => {
    users = await createUsers()
    mock.timers.enable({ apis: ['Date'], now: NOW })
  })
  group.each.teardown(() => mock.timers.reset())

  /** Counts the writes, and lets a test hold them back or make them fail. */
  class CountingRepository extends MemoryApiTokenRepository {
    writes: number[] = []
    fails = false

    override recordUse(id: string, now: number, before: number) {
      this.writes.push(now)
      if (this.fails) {
        throw new Error('disk full')
      }
      super.recordUse(id, now, before)
    }
  }

  test('a use is recorded after the verification, not before it ends', async ({ assert }) => {
    const repository = new CountingRepository()
    const service = createService({}, repository)
    const { plainText } = await service.create(users, 1)

    await service.verify(plainText, users)
    assert.deepEqual(repository.writes, [])
    await service.settled()
    assert.deepEqual(repository.writes, [NOW])
    const [token] = await service.list(users, 1)
    assert.equal(token!.lastUsedAt?.getTime(), NOW)
  })

  test('it is recorded at most once a minute, however many requests come at once', async ({
    assert,
  }) => {
    const repository = new CountingRepository()
    const service = createService({}, repository)
    const { plainText } = await service.create(users, 1)
    const use = async (instant: number, times: number) => {
      mock.timers.setTime(instant)
      await Promise.all(Array.from({ length: times }, () => service.verify(plainText, users)))
      await service.settled()
    }

    await use(NOW, 5)
    await use(NOW + 59_999, 5)
    assert.deepEqual(repository.writes, [NOW])
    await use(NOW + 60_000, 5)
    assert.deepEqual(repository.writes, [NOW, NOW + 60_000])
  })

  test('a refused token leaves no trace', async ({ assert }) => {
    const repository = new CountingRepository()
    const service = createService({}, repository)
    const { details } = await service.create(users, 1)
    const inactive = await service.create(users, 2)
    const expired = await service.create(users, 1, { expiresAt: new Date(NOW) })

    await service.verify(`${details.id}|${'x'.repeat(43)}`, users)
    await service.verify(inactive.plainText, users)
    await service.verify(expired.plainText, users)
    await service.settled()
    assert.deepEqual(repository.writes, [])
  })

  test('a failure to record it is logged and changes nothing', async ({ assert, cleanup }) => {
    const logged: unknown[] = []
    const error = mock.method(logger, 'error', (...args: unknown[]) => logged.push(args))
    cleanup(() => error.mock.restore())
    const repository = new CountingRepository()
    repository.fails = true
    const service = createService({}, repository)
    const { plainText } = await service.create(users, 1)

    assert.notInstanceOf(await service.verify(plainText, users), Refusal)
    await service.settled()
    assert.lengthOf(logged, 1)
    assert.notInstanceOf(await service.verify(plainText, users), Refusal)
    await service.settled()
    assert.lengthOf(logged, 2)
  })
})

test.group('API tokens / list and revoke', (group) => {
  group.each.setup(async () => {
    users = await createUsers()
  })

  test('tokens are listed by creation, without their hashes', async ({ assert }) => {
    const service = createService()
    await service.create(users, 1, { name: 'first' })
    await service.create(users, 2, { name: 'of another user' })
    await service.create(users, 1, { name: 'second' })

    const tokens = await service.list(users, 1)
    assert.deepEqual(
      tokens.map(({ name }) => name),
      ['first', 'second']
    )
    for (const token of tokens) {
      assert.sameMembers(Object.keys(token), [
        'id',
        'userId',
        'provider',
        'name',
        'abilities',
        'context',
        'contextName',
        'lastUsedAt',
        'expiresAt',
        'createdAt',
      ])
    }
  })

  test('revoke says whether there was such a token', async ({ assert }) => {
    const service = createService()
    const { plainText, details } = await service.create(users, 1)

    assert.isTrue(await service.revoke(details.id))
    assert.isFalse(await service.revoke(details.id))
    assert.isFalse(await service.revoke('123456789012345678901234567890'))
    assert.instanceOf(await service.verify(plainText, users), Refusal)
  })

  test('an id may be revoked as a number', async ({ assert }) => {
    const service = createService()
    const { details } = await service.create(users, 1)
    assert.isTrue(await service.revoke(Number(details.id)))
  })

  test('revokeAll ends all tokens of the user, counts them and leaves those of others', async ({
    assert,
  }) => {
    const service = createService()
    const own = [await service.create(users, 1), await service.create(users, 1)]
    await service.create(users, 2)

    assert.equal(await service.revokeAll(users, await users.find(1)), 2)
    assert.equal(await service.revokeAll(users, 1), 0)
    for (const { plainText } of own) {
      assert.instanceOf(await service.verify(plainText, users), Refusal)
    }
    assert.lengthOf(await service.list(users, 2), 1)
  })

  test('the purge deletes expired tokens and counts them', async ({ assert }) => {
    const service = createService()
    await service.create(users, 1, { expiresAt: new Date(0) })
    await service.create(users, 1)
    assert.equal(await service.purge(), 1)
    assert.lengthOf(await service.list(users, 1), 1)
  })
})

test.group('API tokens / events', (group) => {
  group.each.setup(async () => {
    users = await createUsers()
  })

  test('creating and revoking are announced, once per token and without a secret', async ({
    assert,
    cleanup,
  }) => {
    const events = emitter.fake(['api_token:created', 'api_token:revoked'])
    cleanup(() => emitter.restore())
    const service = createService()
    const tokens = [await service.create(users, 1), await service.create(users, 1)]
    const single = await service.create(users, 1)

    await service.revoke(single.details.id)
    await service.revoke(single.details.id)
    await service.revokeAll(users, 1)

    events.assertEmittedCount('api_token:created', 3)
    events.assertEmittedCount('api_token:revoked', 3)
    for (const { details, plainText } of [...tokens, single]) {
      for (const name of ['api_token:created', 'api_token:revoked'] as const) {
        events.assertEmitted(name, ({ data }) => {
          assert.notInclude(JSON.stringify(data), plainText.split('|')[1]!)
          return data.token.id === details.id && data.token.userId === '1'
        })
      }
    }
  })
})
