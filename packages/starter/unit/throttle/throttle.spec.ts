import app from '@adonisjs/core/services/app'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import db from '@adonisjs/lucid/services/db'
import { LimiterManager, defineConfig as defineLimiterConfig, stores } from '@adonisjs/limiter'
import { test } from '@japa/runner'

import { Throttled } from '#kit/auth/errors'
import { defineConfig } from '#kit/throttle/define_config'
import { LimiterThrottle, purgingCounts } from '#kit/throttle/limiter_throttle'
import { type SomeLimits, someLimits } from '#starter/helpers/limits'
import { redisIsThere } from '#starter/helpers/redis'
import { travel } from '#starter/helpers/time'

const ANN = 'ann@example.com'

function caller(address = '192.0.2.1') {
  const ctx = new HttpContextFactory().create()
  ctx.request.ip = () => address
  return ctx
}

/** A caller whose device has succeeded with these subjects before. */
function deviceOf(throttle: LimiterThrottle, ...subjects: string[]) {
  const ctx = caller()
  let cookie: unknown
  ctx.response.encryptedCookie = (_: string, value: unknown) => ((cookie = value), ctx.response)
  ctx.request.encryptedCookie = () => cookie
  subjects.forEach((subject) => throttle.trustDevice('failedLogins', subject, ctx))
  return ctx
}

async function limiters(store: 'memory' | 'database' | 'redis') {
  const provider = defineLimiterConfig({
    default: store,
    stores: {
      memory: stores.memory({}),
      database: stores.database({ tableName: 'rate_limits', clearExpiredByTimeout: false }),
      redis: stores.redis({ connectionName: 'main', keyPrefix: `test-${process.pid}` }),
    },
  })
  const manager = new LimiterManager<any>(await provider.resolver(app))
  return manager
}

async function create(store: 'memory' | 'database' | 'redis', config: SomeLimits) {
  return new LimiterThrottle(someLimits(config), await limiters(store))
}

const failing = async () => null
const succeeding = async () => 'in'

async function outcome(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error) => {
    if (error instanceof Throttled) {
      return 'throttled'
    }
    throw error
  })
}

const LIMITS = {
  failedLogins: {
    perSubjectAndAddress: { attempts: 3, seconds: 60 },
    perAddress: { attempts: 5, seconds: 60 },
    perSubject: null,
  },
} satisfies SomeLimits

for (const store of ['memory', 'database', 'redis'] as const) {
  test.group(`Throttle | ${store}`, (group) => {
    group.each.setup(async () => {
      await db.from('rate_limits').delete()
      return async () => {
        if (store === 'redis' && redisIsThere) {
          const redis = await app.container.make('redis')
          const keys = await redis.keys(`app:test-${process.pid}*`)
          await Promise.all(keys.map((key) => redis.del(key.replace(/^app:/, ''))))
        }
      }
    })
    group.each.skip(store === 'redis' && !redisIsThere, 'No Redis is running')

    test('the failures that are allowed are allowed, and then nothing is', async ({ assert }) => {
      const throttle = await create(store, LIMITS)
      for (let failure = 0; failure < 3; failure++) {
        assert.isNull(await throttle.attempt('failedLogins', ANN, caller(), failing))
      }
      let attempted = false
      const blocked = throttle.attempt(
        'failedLogins',
        ANN,
        caller(),
        async () => (attempted = true)
      )
      const error = await blocked.catch((thrown) => thrown)
      assert.instanceOf(error, Throttled)
      assert.equal(error.error, 'throttled')
      assert.isAbove(error.retryAfter, 0)
      assert.isAtMost(error.retryAfter, 60)
      assert.isFalse(attempted)
    })

    test('a successful attempt never counts', async ({ assert }) => {
      const throttle = await create(store, LIMITS)
      for (let attempt = 0; attempt < 20; attempt++) {
        const result = await throttle.attempt('failedLogins', ANN, caller(), succeeding)
        assert.equal(result, 'in')
      }
    })

    test('failures count for the subject and the address together', async ({ assert }) => {
      const throttle = await create(store, LIMITS)
      for (let failure = 0; failure < 3; failure++) {
        await throttle.attempt('failedLogins', ANN, caller(), failing)
      }
      const blocked = throttle.attempt('failedLogins', ANN, caller(), succeeding)
      assert.equal(await outcome(blocked), 'throttled')
      const other = throttle.attempt('failedLogins', 'bob@example.com', caller(), succeeding)
      assert.equal(await outcome(other), 'in')
      const elsewhere = throttle.attempt('failedLogins', ANN, caller('192.0.2.2'), succeeding)
      assert.equal(await outcome(elsewhere), 'in')
    })

    test('an address that fails with many subjects is refused altogether', async ({ assert }) => {
      const throttle = await create(store, LIMITS)
      for (let failure = 0; failure < 5; failure++) {
        await throttle.attempt('failedLogins', `${failure}@example.com`, caller(), failing)
      }
      const blocked = throttle.attempt('failedLogins', 'new@example.com', caller(), succeeding)
      assert.equal(await outcome(blocked), 'throttled')
    })

    test('a subject that fails from many addresses is refused from all of them', async ({
      assert,
    }) => {
      const throttle = await create(store, {
        failedLogins: { perSubject: { attempts: 4, seconds: 60 } },
      })
      for (let failure = 0; failure < 4; failure++) {
        const from = caller(`192.0.2.${failure}`)
        assert.isNull(await throttle.attempt('failedLogins', ANN, from, failing))
      }
      const blocked = throttle.attempt('failedLogins', ANN, caller('192.0.2.99'), succeeding)
      assert.equal(await outcome(blocked), 'throttled')
      const other = throttle.attempt('failedLogins', 'bob@example.com', caller(), succeeding)
      assert.equal(await outcome(other), 'in')
    })

    test('a known device is let in while the subject and the address are refused', async ({
      assert,
    }) => {
      const throttle = await create(store, {
        failedLogins: {
          perAddress: { attempts: 3, seconds: 60 },
          perSubject: { attempts: 3, seconds: 60 },
          perSubjectAndAddress: { attempts: 3, seconds: 60 },
        },
      })
      for (let failure = 0; failure < 3; failure++) {
        await throttle.attempt('failedLogins', ANN, caller(), failing)
      }
      const stranger = throttle.attempt('failedLogins', ANN, caller(), succeeding)
      assert.equal(await outcome(stranger), 'throttled')
      const known = throttle.attempt('failedLogins', ANN, deviceOf(throttle, ANN), succeeding)
      assert.equal(await outcome(known), 'in')
    })

    test('a known device has limits of its own', async ({ assert }) => {
      const throttle = await create(store, {
        failedLogins: {
          perAddress: null,
          perSubject: { attempts: 3, seconds: 60 },
          perSubjectAndAddress: { attempts: 2, seconds: 60 },
        },
      })
      const device = deviceOf(throttle, ANN)
      for (let failure = 0; failure < 2; failure++) {
        await throttle.attempt('failedLogins', ANN, device, failing)
      }
      const blocked = throttle.attempt('failedLogins', ANN, device, succeeding)
      assert.equal(await outcome(blocked), 'throttled')
      const stranger = throttle.attempt('failedLogins', ANN, caller(), succeeding)
      assert.equal(await outcome(stranger), 'in')
    })

    test('a known device has the limit of its subject by itself, whatever that of the minute is', async ({
      assert,
    }) => {
      const throttle = await create(store, {
        failedLogins: {
          perAddress: null,
          perSubject: { attempts: 3, seconds: 60 },
          perSubjectAndAddress: null,
        },
      })
      const device = deviceOf(throttle, ANN)
      for (let failure = 0; failure < 3; failure++) {
        await throttle.attempt('failedLogins', ANN, device, failing)
      }
      const blocked = throttle.attempt('failedLogins', ANN, device, succeeding)
      assert.equal(await outcome(blocked), 'throttled')
      const stranger = throttle.attempt('failedLogins', ANN, caller(), succeeding)
      assert.equal(await outcome(stranger), 'in')
    })

    test('actions are counted apart', async ({ assert }) => {
      const throttle = await create(store, {
        ...LIMITS,
        failedClientAuthentications: LIMITS.failedLogins,
      })
      for (let failure = 0; failure < 3; failure++) {
        await throttle.attempt('failedLogins', ANN, caller(), failing)
      }
      const other = throttle.attempt('failedClientAuthentications', ANN, caller(), succeeding)
      assert.equal(await outcome(other), 'in')
    })

    test('penalize throws from the failure that is one too many', async ({ assert }) => {
      const throttle = await create(store, {
        failedClientAuthentications: { perSubjectAndAddress: { attempts: 2, seconds: 60 } },
      })
      const outcomes = []
      for (let failure = 0; failure < 4; failure++) {
        const counted = throttle.penalize('failedClientAuthentications', 'client', caller())
        outcomes.push(await outcome(counted))
      }
      assert.deepEqual(outcomes, [undefined, undefined, 'throttled', 'throttled'])
    })

    test('of many attempts at once, those that come in late are refused, right or wrong', async ({
      assert,
    }) => {
      const throttle = await create(store, LIMITS)
      let finish!: () => void
      const held = new Promise<void>((resolve) => (finish = resolve))
      const right = outcome(
        throttle.attempt('failedLogins', ANN, caller(), async () => {
          await held
          return 'in'
        })
      )
      const wrong = Array.from({ length: 20 }, () =>
        outcome(throttle.attempt('failedLogins', ANN, caller(), failing))
      )
      const outcomes = await Promise.all(wrong)
      finish()
      assert.equal(await right, 'throttled')
      assert.lengthOf(
        outcomes.filter((result) => result === null),
        3
      )
    })
  })
}

test.group('Throttle', (group) => {
  group.each.setup(async () => {
    await db.from('rate_limits').delete()
  })

  test('a device is known to the subjects that it has succeeded with, to the last ten', async ({
    assert,
  }) => {
    const throttle = await create('memory', {
      failedLogins: { perAddress: { attempts: 1, seconds: 60 } },
    })
    const names = [...'abcdefghijk']
    const device = deviceOf(throttle, ...names)
    await throttle.attempt('failedLogins', 'somebody', device, failing)
    const outcomes = []
    for (const name of [...names, 'somebody']) {
      outcomes.push(await outcome(throttle.attempt('failedLogins', name, device, succeeding)))
    }
    assert.deepEqual(outcomes, ['throttled', ...names.slice(1).map(() => 'in'), 'throttled'])
  })

  test('a device that is known for one action is a stranger to another', async ({ assert }) => {
    const limit = { perAddress: { attempts: 1, seconds: 60 } }
    const throttle = await create('memory', { failedClientAuthentications: limit })
    const device = deviceOf(throttle, ANN)
    await throttle.attempt('failedClientAuthentications', ANN, device, failing)
    const blocked = throttle.attempt('failedClientAuthentications', ANN, device, succeeding)
    assert.equal(await outcome(blocked), 'throttled')
  })

  test('the shipped limits: 10 a minute per e-mail and address, 100 an hour per e-mail, 1,000 per address', ({
    assert,
  }) => {
    const shipped = app.config.get<ReturnType<typeof defineConfig>>('throttle')
    assert.deepEqual(shipped, defineConfig())
    const limits = Object.entries(shipped).map(([action, kinds]) => {
      const { perAddress, perSubject, perSubjectAndAddress } = kinds
      const text = (limit: typeof perAddress) => limit && `${limit.attempts} in ${limit.seconds}`
      return [action, text(perAddress), text(perSubject), text(perSubjectAndAddress)]
    })
    assert.sameDeepMembers(limits, [
      ['failedLogins', '1000 in 3600', '100 in 3600', '10 in 60'],
      ['failedSecondFactors', '1000 in 3600', '20 in 3600', '5 in 60'],
      ['failedClientAuthentications', '10000 in 3600', null, '100 in 60'],
      ['passwordMails', '1000 in 3600', null, null],
      ['registrations', '100 in 3600', null, null],
      ['verificationMails', '1000 in 3600', '6 in 3600', null],
      ['clientRegistrations', '100 in 3600', null, null],
      ['clientDocuments', '20 in 60', null, null],
      ['pushedRequests', '1000 in 3600', null, null],
      ['deviceAuthorizations', '1000 in 3600', null, null],
      ['deviceUserCodes', '100 in 3600', '10 in 3600', null],
      ['workspaces', '1000 in 3600', '60 in 3600', null],
      ['mcpCalls', null, '600 in 60', null],
      ['anonymousMcpCalls', '6000 in 60', null, '600 in 60'],
    ])
  })

  test('an attempt that throws is no failed one', async ({ assert }) => {
    const throttle = await create('memory', LIMITS)
    for (let attempt = 0; attempt < 5; attempt++) {
      const broken = throttle.attempt('failedLogins', ANN, caller(), async () => {
        throw new Error('the database is away')
      })
      await assert.rejects(() => broken, 'the database is away')
    }
    assert.equal(await throttle.attempt('failedLogins', ANN, caller(), succeeding), 'in')
  })

  test('failures are forgotten when their time is over', async ({ assert }) => {
    const throttle = await create('database', LIMITS)
    for (let failure = 0; failure < 3; failure++) {
      await throttle.attempt('failedLogins', ANN, caller(), failing)
    }
    travel(60)
    assert.equal(await throttle.attempt('failedLogins', ANN, caller(), succeeding), 'in')
  })

  test('the names an attacker invents take no more room than the limit of its address', async ({
    assert,
  }) => {
    const throttle = await create('database', LIMITS)
    for (let failure = 0; failure < 30; failure++) {
      await outcome(throttle.penalize('failedLogins', `${failure}@example.com`, caller()))
    }
    const rows = await db.from('rate_limits')
    assert.lengthOf(rows, 1 + LIMITS.failedLogins.perAddress.attempts)
  })

  test("keys are of one length and hold nobody's e-mail", async ({ assert }) => {
    const throttle = await create('database', LIMITS)
    await throttle.penalize('failedLogins', 'x'.repeat(100_000), caller())
    await throttle.penalize('failedLogins', ANN, caller())
    for (const { key } of await db.from('rate_limits')) {
      assert.match(key, /failedLogins:[0-9a-f]{64}$/)
    }
  })

  test('counts that are over are purged from the database', async ({ assert }) => {
    const throttle = await create('database', LIMITS)
    await throttle.penalize('failedLogins', ANN, caller())
    const purge = purgingCounts(() => db.connection())
    assert.equal(await purge(Date.now()), 0)
    assert.equal(await purge(Date.now() + 60_000), 2)
    assert.lengthOf(await db.from('rate_limits'), 0)
  })

  test('{first} and {second} count as {count}')
    .with([
      { first: '2001:db8:1:2::1', second: '2001:db8:1:2:ffff::9', count: 'one' },
      { first: '2001:db8:1:2::1', second: '2001:db8:1:3::1', count: 'two' },
      { first: '::ffff:192.0.2.1', second: '192.0.2.1', count: 'one' },
      { first: '192.0.2.1', second: '192.0.2.2', count: 'two' },
      { first: '2001:DB8:1:2::1', second: '2001:db8:1:2:0:0:0:1', count: 'one' },
      { first: 'unknown', second: 'unknown', count: 'one' },
    ])
    .run(async ({ assert }, { first, second, count }) => {
      const throttle = await create('memory', {
        failedLogins: { perSubjectAndAddress: { attempts: 1, seconds: 60 } },
      })
      await throttle.attempt('failedLogins', ANN, caller(first), failing)
      const result = await outcome(
        throttle.attempt('failedLogins', ANN, caller(second), succeeding)
      )
      assert.equal(result, count === 'one' ? 'throttled' : 'in')
    })

  test('an action without limits in the config is refused, not let through', async ({ assert }) => {
    const throttle = await create('memory', {})
    await assert.rejects(
      () => throttle.attempt('smsCodes' as any, ANN, caller(), succeeding),
      'ThrottleConfig: there are no limits for "smsCodes"'
    )
  })

  test('a limit can be turned off with null', async ({ assert }) => {
    const throttle = await create('memory', {
      failedLogins: { perAddress: null, perSubjectAndAddress: null },
    })
    for (let failure = 0; failure < 50; failure++) {
      await throttle.penalize('failedLogins', ANN, caller())
    }
    assert.equal(await throttle.attempt('failedLogins', ANN, caller(), succeeding), 'in')
  })

  test('a limit that is undefined is the shipped one, and only null turns one off', ({
    assert,
  }) => {
    const { failedLogins: shipped } = someLimits({})
    const { failedLogins } = someLimits({ failedLogins: { perSubject: undefined } })
    assert.deepEqual(failedLogins, shipped)
    for (const none of [0, false, ''] as any[]) {
      assert.throws(
        () => someLimits({ failedLogins: { perSubject: none } }),
        'ThrottleConfig "failedLogins.perSubject" must be an object'
      )
    }
  })

  test('a limit that is no whole number above 0 is refused', ({ assert }) => {
    for (const [key, broken] of [
      ['attempts', { attempts: 0, seconds: 60 }],
      ['seconds', { attempts: 5, seconds: -1 }],
      ['attempts', { attempts: 1.5, seconds: 60 }],
    ] as const) {
      assert.throws(
        () => someLimits({ passwordMails: { perAddress: broken } }),
        `ThrottleConfig: "passwordMails.perAddress.${key}" must be a whole number above 0`
      )
    }
  })
})
