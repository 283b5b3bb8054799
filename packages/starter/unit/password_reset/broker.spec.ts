import { inspect } from 'node:util'

import hash from '@adonisjs/core/services/hash'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { type AuthConfig, defineConfig, type PasswordBrokerSpec } from '#kit/auth/define_config'
import { InvalidGrant, Throttled } from '#kit/auth/errors'
import { AuthManager } from '#kit/auth/manager'
import { MemoryPasswordResetStore } from '#kit/password_reset/store'
import { PasswordResets } from '#kit/password_reset/password_resets'
import { Background, type ErrorLog } from '#kit/process/background'
import { Purges } from '#kit/database/purges'
import { hashSecret } from '#kit/security/secrets'
import { stopClock, travel } from '#starter/helpers/time'

const EMAIL = 'ann@example.com'
const PASSWORD = 'correct horse battery'

function registerResets(manager: AuthManager, purges = new Purges(), logger: ErrorLog = console) {
  return PasswordResets.register(manager, { background: new Background(logger), purges, logger })
}

/** An application of its own, without a database. */
async function setUp(spec: Partial<PasswordBrokerSpec> = {}, config: AuthConfig = {}) {
  const store = new MemoryPasswordResetStore()
  const delivered: { email: string; token: string }[] = []
  const logged: string[] = []
  const users = [
    { email: EMAIL, password: PASSWORD, active: true },
    { email: 'idle@example.com', password: PASSWORD, active: false },
  ]
  const manager = new AuthManager(
    defineConfig({
      providers: { users: { driver: 'memory', users, isActive: 'active' } },
      passwords: { users: { provider: 'users', store: 'instance', instance: store, ...spec } },
      passwordResetNotifier: (email, token) => void delivered.push({ email, token }),
      ...config,
    }),
    hash.use()
  )
  await manager.build()
  await manager.warmUp()
  const purges = new Purges()
  await registerResets(manager, purges, {
    error: (details, message) => void logged.push(`${message} ${inspect(details)}`),
  })
  return {
    manager,
    purges,
    broker: manager.broker(),
    store,
    delivered,
    logged,
    users: manager.users('users'),
  }
}

async function refusal(promise: Promise<unknown>) {
  return promise.then(
    () => null,
    (error) => error
  )
}

function keyOf(store: MemoryPasswordResetStore, email = EMAIL) {
  return store.find(email)?.token
}

test.group('Password broker', () => {
  test('delivers a token that is exchanged for a new password', async ({ assert }) => {
    const { broker, delivered, users } = await setUp()
    await broker.sendResetLink(EMAIL)
    assert.lengthOf(delivered, 1)
    assert.equal(delivered[0]!.email, EMAIL)

    await broker.reset({ ...delivered[0]!, password: 'a new secret' })
    assert.isNotNull(await users.verify({ email: EMAIL, password: 'a new secret' }))
    assert.isNull(await users.verify({ email: EMAIL, password: PASSWORD }))
  })

  test('a token has at least 256 bits of [A-Za-z0-9], and its SHA-256 alone is stored', async ({
    assert,
  }) => {
    const { broker, delivered, store } = await setUp()
    await broker.sendResetLink(EMAIL)
    const { token } = delivered[0]!
    assert.match(token, /^[A-Za-z0-9]{43,}$/)
    assert.equal(keyOf(store), hashSecret(token))
    assert.notInclude(inspect([broker, store], { depth: 10, showHidden: true }), token)
  })

  test('nothing is delivered for an e-mail that names nobody, or nobody active', async ({
    assert,
  }) => {
    const { broker, delivered, store } = await setUp()
    await broker.sendResetLink('nobody@example.com')
    await broker.sendResetLink('idle@example.com')
    assert.lengthOf(delivered, 0)
    assert.isNull(store.find('idle@example.com'))
  })

  test('throws throttled inside the window, with the seconds that are left', async ({ assert }) => {
    const tick = stopClock()
    const { broker, delivered } = await setUp({ throttle: 60 })
    await broker.sendResetLink(EMAIL)
    tick(20)
    const error = await refusal(broker.sendResetLink(EMAIL))
    assert.instanceOf(error, Throttled)
    assert.equal(error.status, 429)
    assert.equal(error.headers['Retry-After'], '40')
    assert.lengthOf(delivered, 1)

    tick(60)
    await broker.sendResetLink(EMAIL)
    assert.lengthOf(delivered, 2)
  })

  test('the window is 60 seconds unless the broker says otherwise, and 0 turns it off', async ({
    assert,
  }) => {
    stopClock()
    const usual = await setUp()
    await usual.broker.sendResetLink(EMAIL)
    const error = await refusal(usual.broker.sendResetLink(EMAIL))
    assert.equal(error.retryAfter, 60)

    const open = await setUp({ throttle: 0 })
    await open.broker.sendResetLink(EMAIL)
    await open.broker.sendResetLink(EMAIL)
    assert.lengthOf(open.delivered, 2)
  })

  test('the newest token replaces the one before', async ({ assert }) => {
    const { broker, delivered } = await setUp({ throttle: 0 })
    await broker.sendResetLink(EMAIL)
    await broker.sendResetLink(EMAIL)
    const [first, second] = delivered
    assert.instanceOf(await refusal(broker.reset({ ...first!, password: 'x' })), InvalidGrant)
    assert.isNull(await refusal(broker.reset({ ...second!, password: 'a new secret' })))
  })

  test('a token works once, however many try at the same time', async ({ assert }) => {
    const { broker, delivered } = await setUp()
    await broker.sendResetLink(EMAIL)
    const attempts = Array.from({ length: 6 }, (_, index) =>
      refusal(broker.reset({ ...delivered[0]!, password: `new secret ${index}` }))
    )
    const errors = await Promise.all(attempts)
    assert.lengthOf(
      errors.filter((error) => error === null),
      1
    )
    errors.filter(Boolean).forEach((error) => assert.instanceOf(error, InvalidGrant))
  })

  test('a wrong guess does not consume the token', async ({ assert }) => {
    const { broker, delivered } = await setUp()
    await broker.sendResetLink(EMAIL)
    const { token } = delivered[0]!
    const guesses = [`${token}x`, token.slice(1), '', token.toLowerCase(), hashSecret(token)]
    for (const guess of guesses) {
      const error = await refusal(broker.reset({ email: EMAIL, token: guess, password: 'x' }))
      assert.instanceOf(error, InvalidGrant, guess)
    }
    assert.isNull(await refusal(broker.reset({ ...delivered[0]!, password: 'a new secret' })))
  })

  test('a token is of no use for another e-mail', async ({ assert }) => {
    const { broker, delivered } = await setUp()
    await broker.sendResetLink(EMAIL)
    const error = await refusal(
      broker.reset({ ...delivered[0]!, email: 'idle@example.com', password: 'x' })
    )
    assert.instanceOf(error, InvalidGrant)
  })

  test('a token lives for "expire" minutes, 60 when nothing is said, and is deleted after', async ({
    assert,
  }) => {
    for (const [spec, minutes] of [
      [{}, 60],
      [{ expire: 5 }, 5],
    ] as const) {
      const { broker, delivered, store } = await setUp(spec)
      const { createdAt, expiresAt } = await broker
        .sendResetLink(EMAIL)
        .then(() => store.find(EMAIL)!)
      assert.equal(expiresAt - createdAt, minutes * 60_000)

      const now = Date.now
      Date.now = () => expiresAt
      const error = await refusal(broker.reset({ ...delivered[0]!, password: 'x' })).finally(() => {
        Date.now = now
      })
      assert.instanceOf(error, InvalidGrant)
      assert.isNull(store.find(EMAIL))
    }
  })

  test('a token still works at the last millisecond of its life', async ({ assert }) => {
    const { broker, delivered, store } = await setUp()
    await broker.sendResetLink(EMAIL)
    const { expiresAt } = store.find(EMAIL)!
    const now = Date.now
    Date.now = () => expiresAt - 1
    const error = await refusal(
      broker.reset({ ...delivered[0]!, password: 'a new secret' })
    ).finally(() => {
      Date.now = now
    })
    assert.isNull(error)
  })

  test('a user who became inactive cannot use the token', async ({ assert }) => {
    const { broker, delivered, users } = await setUp()
    await broker.sendResetLink(EMAIL)
    const user = await users.findActiveByUsername(EMAIL)
    user.active = false
    const error = await refusal(broker.reset({ ...delivered[0]!, password: 'a new secret' }))
    assert.instanceOf(error, InvalidGrant)
  })

  test('a password that could never be verified is refused, and every character counts as one', async ({
    assert,
  }) => {
    const { broker, delivered, users } = await setUp({ throttle: 0 })
    await broker.sendResetLink(EMAIL)
    await broker.reset({ ...delivered[0]!, password: '🔑'.repeat(1024) })
    assert.isNotNull(await users.verify({ email: EMAIL, password: '🔑'.repeat(1024) }))

    await broker.sendResetLink(EMAIL)
    const error = await refusal(broker.reset({ ...delivered[1]!, password: 'x'.repeat(1025) }))
    assert.match(error.message, /at most 1024 characters/)
    assert.isNull(await refusal(broker.reset({ ...delivered[1]!, password: 'a new secret' })))
  })

  test('a notifier may be sync or async; one that throws is logged, without the token, and goes no further', async ({
    assert,
  }) => {
    let secret = ''
    for (const passwordResetNotifier of [
      (_: string, token: string) => {
        secret = token
        throw new Error(`cannot send ${token}`)
      },
      async (_: string, token: string) => {
        secret = token
        throw `cannot send ${token}`
      },
    ]) {
      const { broker, logged } = await setUp({}, { passwordResetNotifier })
      await broker.sendResetLink(EMAIL)
      assert.lengthOf(logged, 1)
      assert.match(logged[0]!, /^Cannot deliver a password reset token/)
      assert.include(logged[0], 'cannot send [secret]')
      assert.notInclude(logged[0], secret)
      assert.isNull(await refusal(broker.reset({ email: EMAIL, token: secret, password: 'new' })))
    }
  })

  test('without a notifier a token is made all the same', async ({ assert }) => {
    const { broker, store } = await setUp({}, { passwordResetNotifier: undefined })
    await broker.sendResetLink(EMAIL)
    assert.isNotNull(store.find(EMAIL))
  })

  test('a user provider whose users are named otherwise is asked by that name', async ({
    assert,
  }) => {
    const delivered: string[] = []
    const manager = new AuthManager(
      defineConfig({
        providers: {
          users: {
            driver: 'memory',
            users: [{ mailbox: EMAIL, secret: PASSWORD }],
            usernameField: 'mailbox',
            passwordField: 'secret',
          },
        },
        passwords: { users: { provider: 'users', store: 'memory' } },
        passwordResetNotifier: (_, token) => void delivered.push(token),
      }),
      hash.use()
    )
    await manager.build()
    await manager.warmUp()
    await registerResets(manager)
    await manager.broker().sendResetLink(EMAIL)
    await manager.broker().reset({ email: EMAIL, token: delivered[0]!, password: 'a new secret' })
    const users = manager.users('users')
    assert.isNotNull(await users.verify({ mailbox: EMAIL, secret: 'a new secret' }))
  })

  test('the store "memory" writes no token to the database', async ({ assert }) => {
    const { broker, delivered } = await setUp({ store: 'memory' })
    await broker.sendResetLink(EMAIL)
    assert.lengthOf(delivered, 1)
    assert.lengthOf(await db.from('password_reset_tokens').where('email', EMAIL), 0)
  })

  test('expired tokens are purged with everything else that expires', async ({ assert }) => {
    const { broker, purges, store } = await setUp({ expire: 1 })
    await broker.sendResetLink(EMAIL)
    assert.deepEqual(await purges.run(), [{ name: 'expired reset tokens of "users"', deleted: 0 }])
    travel(60)
    assert.deepEqual(await purges.run(), [{ name: 'expired reset tokens of "users"', deleted: 1 }])
    assert.isNull(store.find(EMAIL))
  })
})

test.group('Password broker | configuration', () => {
  test('{name} is refused at start')
    .with([
      { name: 'expire 0', spec: { expire: 0 }, message: /"expire" must be a number above 0/ },
      { name: 'expire NaN', spec: { expire: Number.NaN }, message: /"expire"/ },
      {
        name: 'throttle -1',
        spec: { throttle: -1 },
        message: /"throttle" must be a number above 0, or 0 to turn it off/,
      },
      { name: 'store sql', spec: { store: 'sql' as any }, message: /was removed.*"database"/ },
      {
        name: 'an unknown connection',
        spec: { store: 'database' as const, connection: 'nope' },
        message: /There is no connection "nope" in config\/database\.ts/,
      },
      { name: 'an unknown provider', spec: { provider: 'x' }, message: /no user provider "x"/ },
    ])
    .run(async ({ assert }, { spec, message }) => {
      const error = await refusal(setUp(spec))
      assert.match(error.message, message)
    })

  test('a default broker that does not exist is refused at start', async ({ assert }) => {
    const error = await refusal(setUp({}, { default: { passwords: 'admins' } }))
    assert.match(error.message, /There is no password broker "admins"/)
  })

  test('a broker is found by its name, the default one without', async ({ assert }) => {
    const { manager, broker } = await setUp()
    assert.strictEqual(manager.broker('users'), broker)
    assert.throws(() => manager.broker('admins'), /There is no password broker "admins"/)
  })

  test('without "passwords" there is no broker', async ({ assert }) => {
    const manager = new AuthManager(defineConfig({}), hash.use())
    assert.isNull(await registerResets(manager))
    assert.throws(() => manager.broker(), /There are no password brokers: set "passwords"/)
  })
})
