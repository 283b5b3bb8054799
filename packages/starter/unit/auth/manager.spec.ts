import { HttpContextFactory } from '@adonisjs/core/factories/http'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import hash from '@adonisjs/core/services/hash'
import { test } from '@japa/runner'

import { AuthContext } from '#kit/auth/outcome'
import type { GuardName } from '#kit/auth/guard_types'
import { type AuthConfig, defineConfig, oauth2Guard, sessionGuard } from '#kit/auth/define_config'
import { FeatureNotRegistered, InvalidSession, InvalidToken } from '#kit/auth/errors'
import { AuthManager } from '#kit/auth/manager'
import { authContext, currentUser, optionalUser, requireScopes } from '#kit/auth/protection'
import { type Guard, RequestGuard, actAs } from '#kit/auth/guards/guard'
import type { GuardDriver } from '#kit/auth/guards/driver'
import type { ScopeName } from '#kit/auth/scopes'

const ANN = { id: 1, email: 'ann@example.com' }

/** A guard whose answer the test decides: a context, or the error to throw. */
function fakeDriver(name: string, answers: Record<string, AuthContext | Error>): GuardDriver {
  return {
    name,
    create: ({ name: guard, users }) => {
      class FakeGuard extends RequestGuard {
        driverName = name
        asked = 0
        protected async identify() {
          this.asked++
          const answer = answers[guard]!
          if (answer instanceof Error) {
            throw answer
          }
          return answer
        }
      }
      return () => new FakeGuard(guard, users)
    },
  }
}

/** Guards that the types of the application do not know. */
const named = (...names: string[]) => ({ guards: names as GuardName[] })
const guardOf = (ctx: HttpContext, name: string): Guard => ctx.authenticator.use(name as GuardName)

async function build(
  config: AuthConfig,
  drivers: GuardDriver[] = []
): Promise<{ manager: AuthManager; ctx: HttpContext }> {
  const manager = new AuthManager(defineConfig(config), hash.use())
  drivers.forEach((driver) => manager.registerDriver(driver))
  await manager.build()
  const ctx = new HttpContextFactory().create()
  Object.defineProperty(ctx, 'authenticator', { value: manager.createAuthenticator(ctx) })
  return { manager, ctx }
}

const providers: AuthConfig['providers'] = { users: { driver: 'memory' } }

test('the caller of a command is recognised by a guard of the name "given"', async ({ assert }) => {
  const { manager, ctx } = await build(
    { guards: { web: sessionGuard({ provider: 'users' }) }, providers },
    [fakeDriver('session', { web: new InvalidSession() })]
  )
  await actAs(ctx, manager, new AuthContext({ user: ANN, scopes: ['*'] }))
  assert.strictEqual(ctx.authenticator.user as unknown, ANN)
  assert.equal(ctx.authenticator.authenticatedViaGuard as string, 'given')
  assert.isTrue(manager.hasGuard('given'))
})

test.group('Auth manager | start-up rules', () => {
  test('is bound in the container as auth_manager', async ({ assert }) => {
    assert.instanceOf(await app.container.make('auth_manager'), AuthManager)
  })

  test('a driver of a provider that is not registered fails and names the provider to add')
    .with([
      { driver: 'session', provider: 'AuthSessionProvider', module: 'auth_session_provider' },
      { driver: 'token', provider: 'AuthApiTokenProvider', module: 'auth_api_token_provider' },
      { driver: 'oauth2', provider: 'AuthOAuth2Provider', module: 'auth_oauth2_provider' },
      { driver: 'passport', provider: 'AuthOAuth2Provider', module: 'auth_oauth2_provider' },
      { driver: undefined, provider: 'AuthOAuth2Provider', module: 'auth_oauth2_provider' },
    ])
    .run(async ({ assert }, { driver, provider, module }) => {
      const error = await build({ guards: { g: { driver, provider: 'users' } }, providers }).catch(
        (failure) => failure
      )
      assert.instanceOf(error, FeatureNotRegistered)
      assert.include(error.message, provider)
      assert.include(error.message, `adonis-auth-kit/providers/${module}`)
    })

  test('an unknown driver, user provider or user provider driver fails', async ({ assert }) => {
    await assert.rejects(
      () => build({ guards: { g: { driver: 'magic', provider: 'users' } }, providers }),
      'The guard "g" has the unknown driver "magic"'
    )
    await assert.rejects(
      () =>
        build({ guards: { g: sessionGuard({ provider: 'nobody' }) }, providers }, [
          fakeDriver('session', {}),
        ]),
      'There is no user provider "nobody" in config/auth.ts'
    )
    await assert.rejects(
      () => build({ providers: { users: { driver: 'ldap' } as any } }),
      /unknown driver "ldap"/
    )
  })

  test('a default guard that does not exist is refused at start', async ({ assert }) => {
    const config = { guards: { web: sessionGuard({ provider: 'users' }) }, providers }
    await assert.rejects(
      () => build({ ...config, default: { guard: 'wbe' } }, [fakeDriver('session', {})]),
      /"default.guard" names the guard "wbe", which is not in config\/auth.ts/
    )
  })

  test('passport is an alias of oauth2, and the driver when none is named', async ({ assert }) => {
    const answer = new AuthContext({ user: ANN, scopes: [] })
    const { manager, ctx } = await build(
      {
        default: { guard: 'alias' },
        guards: {
          alias: { driver: 'passport', provider: 'users' },
          bare: { provider: 'users' },
          helper: oauth2Guard({ provider: 'users', audience: 'https://api.example.com' }),
        },
        providers,
      },
      [fakeDriver('oauth2', { alias: answer, bare: answer, helper: answer })]
    )
    for (const name of ['alias', 'bare', 'helper']) {
      assert.equal(manager.guardDriver(name), 'oauth2')
      assert.equal(await guardOf(ctx, name).authenticate(), ANN)
    }
  })

  test('a feature provider that comes before AuthProvider fails and says so', async ({
    assert,
  }) => {
    const { default: AuthSessionProvider } =
      await import('adonis-auth-kit/providers/auth_session_provider')
    const bare = { container: { hasBinding: () => false } } as any
    assert.throws(
      () => new AuthSessionProvider(bare).register(),
      'AuthSessionProvider adds to AuthProvider: list AuthProvider before it in adonisrc.ts'
    )
  })

  test('a guard of the config cannot be replaced', async ({ assert }) => {
    const config = { guards: { web: sessionGuard({ provider: 'users' }) }, providers }
    const { manager } = await build(config, [fakeDriver('session', {})])
    assert.throws(
      () => manager.addGuard('web', () => ({}) as Guard),
      'The guard "web" is in config/auth.ts already'
    )
  })

  test('naming a guard that does not exist is an error', async ({ assert }) => {
    const { ctx } = await build({ providers })
    assert.throws(() => guardOf(ctx, 'typo'), 'There is no guard "typo" in config/auth.ts')
  })
})

test.group('Auth config', () => {
  test('has the defaults of the document', ({ assert }) => {
    assert.containSubset(defineConfig({}), {
      default: { guard: 'web', passwords: 'users' },
      guards: {},
      providers: {},
      passwords: {},
      bcryptRounds: 12,
      hashingPatience: 5,
      passwordResetNotifier: null,
      isBreachedPassword: null,
      debugExposeResetToken: false,
      challengeDetails: false,
      deprecated: {},
    })
  })

  test('refuses a cost that bcrypt does not know', ({ assert }) => {
    for (const bcryptRounds of [3, 32, 4.5, Number.NaN]) {
      assert.throws(() => defineConfig({ bcryptRounds }), /between 4 and 31/)
    }
    for (const bcryptRounds of [4, 31]) {
      assert.equal(defineConfig({ bcryptRounds }).bcryptRounds, bcryptRounds)
    }
  })

  test('keeps deprecated OAuth settings for the fallback', ({ assert }) => {
    const deprecated = {
      key: 'k',
      algorithm: 'HS256',
      accessTokenTtl: 60,
      refreshTokenTtl: 60,
      personalAccessTokenTtl: 60,
      authorizationCodeTtl: 60,
      tokens: {},
      issuer: 'https://api.example.com',
      resources: [],
      scopes: {},
      pkceMethods: ['S256'],
      requirePkce: false,
    }
    assert.deepEqual(defineConfig(deprecated).deprecated, deprecated)
    assert.deepEqual(defineConfig({ key: undefined, bcryptRounds: 4 }).deprecated, {})
  })
})

test.group('Route protection', () => {
  const person = new AuthContext({ user: ANN, scopes: ['posts:read'] })
  const machine = new AuthContext({ user: null, scopes: ['posts:read'], clientId: 'c', jti: 'j' })

  async function guarded(answer: AuthContext | Error, more: Record<string, any> = {}) {
    const { ctx } = await build(
      {
        default: { guard: 'web' },
        guards: {
          web: sessionGuard({ provider: 'users' }),
          other: sessionGuard({ provider: 'users' }),
        },
        providers,
      },
      [fakeDriver('session', { web: answer, other: new InvalidToken(), ...more })]
    )
    return ctx
  }

  test('currentUser is the user, or 401', async ({ assert }) => {
    assert.equal(await currentUser(await guarded(person)), ANN)
    const error = await currentUser(await guarded(new InvalidSession())).catch((failure) => failure)
    assert.equal(error.status, 401)
  })

  test('the subject of equal ids differs between two user providers; there is none without a user', async ({
    assert,
  }) => {
    const { ctx } = await build(
      {
        guards: {
          web: sessionGuard({ provider: 'users' }),
          staff: sessionGuard({ provider: 'admins' }),
          machine: sessionGuard({ provider: 'users' }),
        },
        providers: { ...providers, admins: { driver: 'memory' } },
      },
      [fakeDriver('session', { web: person, staff: person, machine })]
    )
    assert.isNull(ctx.authenticator.subject)
    const subjects = []
    for (const guard of ['web', 'staff', 'machine']) {
      await ctx.authenticator.resolveUsing([guard as GuardName])
      subjects.push(ctx.authenticator.subject)
    }
    assert.deepEqual(subjects, ['users:1', 'admins:1', null])
  })

  test('a request is authenticated once a guard has recognised its user', async ({ assert }) => {
    const { authenticator } = await guarded(person)
    assert.isFalse(authenticator.isAuthenticated)
    assert.isFalse(authenticator.authenticationAttempted)
    assert.isNull(authenticator.userId)
    assert.isTrue(await authenticator.check())
    assert.isTrue(authenticator.isAuthenticated)
    assert.isTrue(authenticator.authenticationAttempted)
    assert.equal(authenticator.userId, '1')
    assert.equal(await authenticator.authenticate(), ANN)
    const nobody = await guarded(new InvalidSession())
    assert.isFalse(await nobody.authenticator.check())
  })

  test('optionalUser is the user or null', async ({ assert }) => {
    assert.equal(await optionalUser(await guarded(person)), ANN)
    assert.isNull(await optionalUser(await guarded(new InvalidToken())))
    assert.isNull(await optionalUser(await guarded(machine)))
  })

  test('currentUser and authContext refuse a token without a user with 401', async ({ assert }) => {
    for (const protect of [currentUser, authContext]) {
      const error = await protect(await guarded(machine)).catch((failure) => failure)
      assert.equal(error.status, 401)
      assert.equal(error.error, 'invalid_token')
    }
  })

  test('requireScopes accepts a token without a user', async ({ assert }) => {
    assert.equal(await requireScopes(await guarded(machine), ['posts:read']), machine)
  })

  test('requireScopes wants every scope, or any with mode any; 403 insufficient_scope otherwise', async ({
    assert,
  }) => {
    const both = ['posts:read', 'posts:write'] as const
    assert.equal(await requireScopes(await guarded(person), ['posts:read']), person)
    assert.equal(await requireScopes(await guarded(person), both, { mode: 'any' }), person)
    for (const [scopes, mode] of [
      [both, 'all'],
      [['posts:write'], 'any'],
    ] as const) {
      const error = await requireScopes(await guarded(person), [...scopes], { mode }).catch(
        (failure) => failure
      )
      assert.equal(error.status, 403)
      assert.equal(error.error, 'insufficient_scope')
    }
  })

  test('a failure that is no refusal is not swallowed', async ({ assert }) => {
    const ctx = await guarded(new Error('the database is down'))
    await assert.rejects(() => optionalUser(ctx), 'the database is down')
  })

  test('the default guard answers unless others are named, which are tried in turn', async ({
    assert,
  }) => {
    const ctx = await guarded(new InvalidSession(), { other: person })
    assert.isNull(await optionalUser(ctx))
    assert.equal(await currentUser(ctx, named('web', 'other')), ANN)
    assert.equal(ctx.authenticator.authenticatedViaGuard, 'other')
    assert.equal(ctx.authenticator.user, ANN)
    assert.isTrue(ctx.authenticator.isAuthenticated)
  })

  test('the guard that answered once answers from then on', async ({ assert }) => {
    const ctx = await guarded(new InvalidSession(), { other: person })
    await currentUser(ctx, named('other'))
    assert.equal(await currentUser(ctx), ANN)
    assert.equal(await requireScopes(ctx, ['posts:read']), person)
  })

  test('of several refusals, the one about credentials that were sent is told', async ({
    assert,
  }) => {
    const ctx = await guarded(new InvalidSession(), { other: new InvalidToken('It is expired.') })
    const error = await currentUser(ctx, named('web', 'other')).catch((failure) => failure)
    assert.equal(error.description, 'It is expired.')
  })

  test('a guard that is not configured lets nobody in', async ({ assert }) => {
    const ctx = await guarded(person)
    const error = await currentUser(ctx, named('typo')).catch((failure) => failure)
    assert.equal(error.status, 401)
    assert.equal(await currentUser(ctx, named('typo', 'web')), ANN)
  })

  test('a guard looks at a request once', async ({ assert }) => {
    const ctx = await guarded(person)
    await Promise.all([currentUser(ctx), currentUser(ctx), requireScopes(ctx, [])])
    assert.equal((ctx.authenticator.use('web') as any).asked, 1)
  })
})

/** A scope that the catalogue of the application does not have. */
const OTHER = 'other' as ScopeName

test.group('AuthContext', () => {
  test('can and canAll want every scope, canAny at least one', ({ assert }) => {
    const context = new AuthContext({ user: ANN, scopes: ['posts:read', 'posts:write'] })
    assert.isTrue(context.can('posts:read'))
    assert.isTrue(context.can('posts:read', 'posts:write'))
    assert.isFalse(context.can('posts:read', OTHER))
    assert.isFalse(context.canAll(OTHER))
    assert.isTrue(context.canAny(OTHER, 'posts:write'))
    assert.isFalse(context.canAny(OTHER, OTHER))
    assert.isFalse(context.canAny())
  })

  test('the scope * satisfies any scope', ({ assert }) => {
    const context = new AuthContext({ user: ANN, scopes: ['*'] })
    assert.isTrue(context.canAll('posts:read', 'posts:write'))
    assert.isTrue(context.canAny(OTHER))
  })

  test('asking for * is asking for *', ({ assert }) => {
    assert.isFalse(new AuthContext({ user: ANN, scopes: ['posts:read'] }).can('*'))
  })

  test('client and token id are null unless given', ({ assert }) => {
    const context = new AuthContext({ user: ANN, scopes: [] })
    assert.isNull(context.clientId)
    assert.isNull(context.jti)
  })
})
