import { test } from '@japa/runner'

import { type CredentialContexts, settleContext } from '#kit/auth/credential_contexts'
import { type AuthError, Throttled } from '#kit/auth/errors'
import { Auth, AsyncAuth } from '#kit/auth/facade'
import { Purges } from '#kit/database/purges'
import {
  generateIdentifier,
  generateRowIdentifier,
  generateSecret,
  hashSecret,
} from '#kit/security/secrets'
import { resolveStoreName } from '#kit/config/store_config'
import { defineConfig } from '#kit/session/define_config'
import { Session } from '#kit/session/facade'
import { stopClock } from '#starter/helpers/time'

async function warnings(run: () => void) {
  const emitted: { name: string; message: string }[] = []
  const listener = (warning: Error) => emitted.push(warning)
  process.on('warning', listener)
  run()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', listener)
  return emitted
}

test.group('Facades', () => {
  test('the facades and functions of the documentation are exported', async ({ assert }) => {
    const [auth, session, tokens] = await Promise.all([
      import('adonis-auth-kit/auth'),
      import('adonis-auth-kit/session'),
      import('adonis-auth-kit/api_token'),
    ])
    assert.containsSubset(Object.keys({ ...auth, ...session, ...tokens }), [
      ...['Auth', 'AsyncAuth', 'Session', 'ApiToken', 'currentUser', 'optionalUser'],
      ...['authContext', 'requireScopes', 'requireAbilities'],
    ])
  })

  test('Auth and AsyncAuth are one class', ({ assert }) => {
    assert.equal(Auth, AsyncAuth)
  })

  test('outside a request every method says so', async ({ assert }) => {
    const outside = /^(Auth|Session) works only inside an HTTP request/
    await assert.rejects(() => Auth.attempt({}), outside)
    await assert.rejects(() => Auth.login(1), outside)
    await assert.rejects(() => Auth.logout(), outside)
    await assert.rejects(() => Auth.validate({}), outside)
    await assert.rejects(() => Auth.user(), outside)
    await assert.rejects(() => Auth.id(), outside)
    await assert.rejects(() => Auth.check(), outside)
    assert.throws(() => Auth.guard(), outside)
    await assert.rejects(() => Session.id(), outside)
    await assert.rejects(() => Session.token(), outside)
    await assert.rejects(() => Session.regenerate(), outside)
    await assert.rejects(() => Session.invalidate(), outside)
  })
})

test.group('Store settings', () => {
  test('the removed stores sql and async_sql point at database', ({ assert }) => {
    for (const store of ['sql', 'async_sql'] as any[]) {
      assert.throws(
        () => resolveStoreName('SessionConfig', { store }, 'memory'),
        `SessionConfig: the store "${store}" was removed. Use "database" instead`
      )
    }
  })

  test('orm is a deprecated alias of database', async ({ assert }) => {
    const emitted = await warnings(() => {
      assert.equal(resolveStoreName('SessionConfig', { store: 'orm' }, 'memory'), 'database')
    })
    assert.equal(emitted[0]!.name, 'DeprecationWarning')
    assert.include(emitted[0]!.message, 'database')
  })

  test('an unknown store, and instance without one, are refused', ({ assert }) => {
    assert.throws(
      () => resolveStoreName('SessionConfig', { store: 'redis' as any }, 'memory'),
      /unknown store "redis"/
    )
    assert.throws(
      () => resolveStoreName('SessionConfig', { store: 'instance' }, 'memory'),
      /needs a ready store under the key "instance"/
    )
  })
})

test.group('Contexts of credentials', () => {
  const settle = async (contexts?: Partial<CredentialContexts>) => {
    let isEnded = false
    const end = () => void (isEnded = true)
    const owner = { userId: '1', provider: 'users' }
    const settled = settleContext(contexts as CredentialContexts, owner, { workspace_id: 7 }, end)
    return [await settled.catch(({ message }) => message), isEnded]
  }

  test('end a credential that its owner may not have, also when nobody can tell', async ({
    assert,
  }) => {
    assert.deepEqual(await settle(), [true, false])
    assert.deepEqual(await settle({ allows: async () => true }), [true, false])
    assert.deepEqual(await settle({ allows: async () => false }), [false, true])
    const fail = () => Promise.reject(new Error('the database is down'))
    assert.deepEqual(await settle({ allows: fail }), ['the database is down', true])
  })
})

test.group('Session config', () => {
  test('has the defaults of the document', ({ assert }) => {
    assert.containSubset(defineConfig(), {
      store: 'memory',
      connection: undefined,
      instance: undefined,
      cookie: 'service_session',
      ttl: 7200,
      rememberTtl: 2_592_000,
      confirmationTtl: 900,
      idleTtl: null,
      httpOnly: true,
      sameSite: 'lax',
      secure: true,
      domain: undefined,
      path: '/',
      purgeInterval: 300,
      csrfCookie: 'XSRF-TOKEN',
      csrfHeader: 'X-XSRF-TOKEN',
      csrfField: '_token',
      csrfExemptPaths: [],
    })
  })

  test('refuses times that are no times, and a cookie that browsers would drop', ({ assert }) => {
    for (const config of [{ ttl: 0 }, { ttl: -1 }, { idleTtl: -5 }, { purgeInterval: 0 }]) {
      const [setting] = Object.keys(config)
      const refusal = new RegExp(`^SessionConfig: "${setting}" must be a number above 0`)
      assert.throws(() => defineConfig(config), refusal)
    }
    assert.throws(() => defineConfig({ sameSite: 'none', secure: false }), /"secure"/)
  })
})

test.group('Secrets', () => {
  test('are of letters and digits, at least 256 bits for secrets and 128 for identifiers', ({
    assert,
  }) => {
    assert.match(generateSecret(), /^[A-Za-z0-9]{43}$/)
    assert.isAbove(43 * Math.log2(62), 256)
    assert.match(generateIdentifier(), /^[A-Za-z0-9]{22}$/)
    assert.isAbove(22 * Math.log2(62), 128)
    assert.lengthOf([...new Set(Array.from({ length: 100 }, generateSecret))], 100)
  })

  test('have every character of the alphabet equally often', ({ assert }) => {
    const counts = new Map<string, number>()
    for (const character of Array.from({ length: 2000 }, generateSecret).join('')) {
      counts.set(character, (counts.get(character) ?? 0) + 1)
    }
    const expected = (2000 * 43) / 62
    const chiSquare = [...counts.values()].reduce(
      (sum, count) => sum + (count - expected) ** 2 / expected,
      0
    )
    assert.equal(counts.size, 62)
    /* 61 degrees of freedom: less than once in a million runs. */
    assert.isBelow(chiSquare, 145)
  })

  test('identifiers of rows sort by the time at which they were made, and have as many random characters', ({
    assert,
  }) => {
    const advance = stopClock()
    const identifiers = Array.from({ length: 50 }, () => {
      advance(0.001)
      return generateRowIdentifier()
    })
    assert.deepEqual(identifiers.toSorted(), identifiers)
    assert.match(generateRowIdentifier(), /^[a-z0-9]{9}[A-Za-z0-9]{22}$/)
    assert.notEqual(generateRowIdentifier(), generateRowIdentifier())
  })

  test('are stored as SHA-256', ({ assert }) => {
    assert.equal(
      hashSecret('abc'),
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    )
  })
})

/** Of errors that say more than their description. */
const ARGUMENTS: Record<string, unknown[]> = { Throttled: [1], RequestNotSupported: ['request'] }

test.group('AuthError', () => {
  test('descriptions are printable ASCII without quotes and backslashes', async ({ assert }) => {
    const errors = await import('#kit/auth/errors')
    for (const [name, Kind] of Object.entries(errors)) {
      if (name === 'AuthError' || name === 'FeatureNotRegistered') {
        continue
      }
      const error = new (Kind as any)(...(ARGUMENTS[name] ?? [])) as AuthError
      assert.match(error.description, /^[\x20\x21\x23-\x5B\x5D-\x7E]+$/, name)
    }
  })

  test('a caller who is told to wait is told whole seconds, and one at least', ({ assert }) => {
    for (const [left, told] of [
      [-1, '1'],
      [0, '1'],
      [0.2, '1'],
      [1.2, '2'],
    ] as const) {
      assert.equal(new Throttled(left).headers['Retry-After'], told)
    }
  })
})

test.group('Purges', () => {
  test('run now, and say what they deleted', async ({ assert }) => {
    const purges = new Purges()
    purges.add({ name: 'old things', interval: 300, run: async () => 3 })
    assert.deepEqual(await purges.run(), [{ name: 'old things', deleted: 3 }])
  })

  test('one timer each, which a failure does not stop', async ({ assert }) => {
    const purges = new Purges()
    let runs = 0
    const failed = new Promise<string>((resolve) => {
      purges.add({
        name: 'stubborn things',
        interval: 0.001,
        run: async () => {
          if (++runs === 1) {
            throw new Error('not now')
          }
          purges.stop()
          resolve(failure)
          return 0
        },
      })
    })
    let failure = ''
    purges.start((name) => (failure = name))
    /* The timers do not keep a process alive, so something else must. */
    const alive = setInterval(() => {}, 1000)
    assert.equal(await failed, 'stubborn things')
    clearInterval(alive)
    assert.equal(runs, 2)
  })
})
