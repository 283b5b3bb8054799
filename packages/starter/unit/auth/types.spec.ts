import type { HttpContext } from '@adonisjs/core/http'
import type { ApiClient } from '@japa/api-client'
import { test } from '@japa/runner'

import type { AuthContext } from '#kit/auth/outcome'
import type {
  DefaultGuardName,
  GuardName,
  GuardNameWith,
  GuardNamed,
  InferAuthenticators,
  LoginGuardName,
  UserOf,
} from '#kit/auth/guard_types'
import { defineConfig, lucidUserProvider, sessionGuard } from '#kit/auth/define_config'
import { Auth } from '#kit/auth/facade'
import type { Guard } from '#kit/auth/guards/guard'
import {
  authContext,
  currentUser,
  optionalUser,
  requireAbilities,
  requireScopes,
} from '#kit/auth/protection'
import type { GrantedScope, ScopeName } from '#kit/auth/scopes'
import type { UserProvider } from '#kit/auth/user_providers/user_provider'
import type { ApiTokenGuard } from '#kit/api_token/guard'
import type scopes from '#config/scopes'
import type User from '#models/user'
import { defineConfig as defineOAuth2Config } from '#kit/oauth2/define_config'
import type { TEST_SCOPES } from '#starter/helpers/scopes'
import type { OAuth2Guard } from '#kit/oauth2/guard'
import type { SessionGuard } from '#kit/session/guard'
import { middleware } from '#start/kernel'
import { isSame } from '#starter/helpers/types'

/*
| What the types know from config/auth.ts and config/oauth2.ts. The type checker
| runs these tests: nothing in `check` is ever called, a type that is wrong and
| an error that is missing both fail "npm run typecheck".
*/
function check(_code: (ctx: HttpContext, client: ApiClient) => unknown) {}

interface Admin {
  id: string
  role: string
}

/** Settings with two kinds of users and a guard of every kind. */
const config = defineConfig({
  default: { guard: 'staff' },
  guards: {
    staff: sessionGuard({ provider: 'admins' }),
    api: { driver: 'token', provider: 'members' },
    partner: { driver: 'passport', provider: 'members', audience: 'https://api.example.com' },
    bare: { provider: 'members' },
    unknown: { driver: 'undeclared', provider: 'admins' },
    demo: { driver: 'token', provider: 'demo' },
  },
  providers: {
    admins: { driver: 'instance', instance: {} as UserProvider<Admin> },
    members: lucidUserProvider({ model: () => import('#models/user') }),
    demo: { driver: 'memory' },
  },
})
type Guards = InferAuthenticators<typeof config>

test.group('Types | Guards', () => {
  test('config/auth.ts says which guards there are and which is the default', () => {
    /* Beside guards that a fork adds. */
    isSame<Extract<GuardName, 'web' | 'api' | 'oauth'>, 'web' | 'api' | 'oauth'>()
    isSame<DefaultGuardName, 'web'>()
    isSame<GuardName<Guards>, 'staff' | 'api' | 'partner' | 'bare' | 'unknown' | 'demo'>()
    isSame<DefaultGuardName<Guards>, 'staff'>()
  })

  test('a guard has the class of its driver and the users of its provider', () => {
    isSame<GuardNamed<'web'>, SessionGuard<User>>()
    isSame<GuardNamed<'staff', Guards>, SessionGuard<Admin>>()
    isSame<GuardNamed<'api', Guards>, ApiTokenGuard<User>>()
    isSame<GuardNamed<'demo', Guards>, ApiTokenGuard<any>>()
  })

  test('passport is oauth2, which is also the driver of a guard that names none', () => {
    isSame<GuardNamed<'partner', Guards>, OAuth2Guard<User>>()
    isSame<GuardNamed<'bare', Guards>, OAuth2Guard<User>>()
  })

  test('a driver whose class nobody declared gives the contract alone', () => {
    isSame<GuardNamed<'unknown', Guards>, Guard<Admin>>()
  })

  test('several guards give a union of their users', () => {
    isSame<UserOf<'staff', Guards>, Admin>()
    isSame<UserOf<'staff' | 'api', Guards>, Admin | User>()
  })

  test('guards are known by what they can do', () => {
    isSame<LoginGuardName, 'web'>()
    isSame<LoginGuardName<Guards>, 'staff'>()
    isSame<GuardNameWith<'token', Guards>, 'api' | 'demo'>()
  })

  test('without config/auth.ts every name is a string and every user any', () => {
    isSame<GuardName<{}>, string>()
    isSame<DefaultGuardName<{}>, string>()
    isSame<LoginGuardName<{}>, string>()
    isSame<GuardNamed<'web', {}>, any>()
    isSame<UserOf<'web', {}>, any>()
  })

  test('a default guard that does not exist does not compile', () => {
    check(() => {
      const guards = { web: sessionGuard({ provider: 'users' }) }
      // @ts-expect-error there is no such guard
      defineConfig({ default: { guard: 'wbe' }, guards })
    })
  })
})

test.group('Types | ctx.auth', () => {
  test('the user is the model’s', () => {
    check(async ({ auth }) => {
      isSame<typeof auth.user, User | null>()
      isSame<typeof auth.context, AuthContext<User> | null>()
      isSame<ReturnType<typeof auth.getUserOrFail>, User>()
      const user = await auth.authenticateUsing(['api', 'web'])
      isSame<typeof user, User>()
      // @ts-expect-error a user has no such property
      void auth.user?.emial
      // @ts-expect-error a user has no such property
      void auth.getUserOrFail().nope
    })
  })

  test('a guard has the methods of its driver', () => {
    check(({ auth }) => {
      void auth.use().attempt({})
      void auth.use('web').login(1)
      isSame<ReturnType<ReturnType<typeof auth.use<'api'>>['getUserOrFail']>, User>()
      void auth.use('api').token?.abilities
      // @ts-expect-error a token guard signs nobody in
      void auth.use('api').attempt({})
      // @ts-expect-error a session guard has no token
      void auth.use('web').token
    })
  })

  test('a guard that does not exist does not compile', () => {
    check(async ({ auth }) => {
      // @ts-expect-error there is no such guard
      void auth.use('wbe')
      // @ts-expect-error there is no such guard
      await auth.checkUsing(['web', 'wbe'])
      // @ts-expect-error there is no such guard
      await auth.authenticateUsing(['wbe'])
    })
  })
})

test.group('Types | Auth facade', () => {
  test('the user is the model’s', () => {
    check(async () => {
      const user = await Auth.user()
      isSame<typeof user, User | null>()
      const byToken = await Auth.user('api')
      isSame<typeof byToken, User | null>()
      const person = await Auth.login(1)
      isSame<typeof person, User>()
      const valid = await Auth.validate({})
      isSame<typeof valid, User | null>()
      isSame<ReturnType<typeof Auth.guard<'oauth'>>, OAuth2Guard<User>>()
    })
  })

  test('a guard that does not exist, or signs nobody in, does not compile', () => {
    check(async () => {
      // @ts-expect-error there is no such guard
      await Auth.user('wbe')
      // @ts-expect-error there is no such guard
      await Auth.check('wbe')
      // @ts-expect-error there is no such guard
      Auth.guard('wbe')
      // @ts-expect-error a token guard signs nobody in
      await Auth.attempt({}, 'api')
      // @ts-expect-error a token guard signs nobody in
      await Auth.login(1, 'api')
      // @ts-expect-error a token guard signs nobody out
      await Auth.logout('oauth')
      // @ts-expect-error this is no user
      await Auth.login({ id: 1 })
    })
  })
})

test.group('Types | Route protection', () => {
  test('the user is the model’s', () => {
    check(async (ctx) => {
      const user = await currentUser(ctx)
      isSame<typeof user, User>()
      const optional = await optionalUser(ctx, { guards: ['web'] })
      isSame<typeof optional, User | null>()
      const context = await authContext(ctx)
      const owner: User = context.user
      void owner
      const { user: caller } = await requireScopes(ctx, ['posts:read'])
      isSame<typeof caller, User | null>()
    })
  })

  test('a guard that does not exist does not compile, also in the lists of middleware', () => {
    check(async (ctx) => {
      middleware.auth({ guards: ['web', 'api'] })
      // @ts-expect-error there is no such guard
      middleware.auth({ guards: ['wbe'] })
      // @ts-expect-error there is no such guard
      middleware.optionalAuth({ guards: ['web', 'wbe'] })
      // @ts-expect-error there is no such guard
      middleware.scopes({ scopes: ['posts:read'], guards: ['wbe'] })
      // @ts-expect-error there is no such guard
      await currentUser(ctx, { guards: ['wbe'] })
      // @ts-expect-error there is no such guard
      await requireScopes(ctx, ['posts:read'], { guards: ['wbe'] })
    })
  })
})

test.group('Types | Scopes', () => {
  test('config/scopes.ts says which scopes there are', () => {
    type Catalogue = typeof scopes & typeof TEST_SCOPES
    isSame<ScopeName, keyof Catalogue>()
    isSame<GrantedScope, keyof Catalogue | '*'>()
    const known: ScopeName = 'posts:read'
    // @ts-expect-error there is no such scope
    const unknown: ScopeName = 'posts:raed'
    void [known, unknown]
  })

  test('with an empty catalogue every string is a scope', () => {
    isSame<ScopeName<{}>, string>()
    isSame<ScopeName<Record<string, string>>, string>()
    isSame<ScopeName<ReturnType<typeof emptyCatalogue>['scopes']>, string>()
  })

  test('a scope that does not exist does not compile where a route requires it', () => {
    check(async (ctx) => {
      middleware.scopes(['posts:read'])
      // @ts-expect-error there is no such scope
      middleware.scopes(['posts:raed'])
      // @ts-expect-error there is no such scope
      middleware.scopes({ scopes: ['posts:raed'], mode: 'any' })
      // @ts-expect-error there is no such scope
      middleware.abilities(['posts:raed'])
      // @ts-expect-error there is no such scope
      await requireScopes(ctx, ['x'])
      // @ts-expect-error there is no such scope
      await requireAbilities(ctx, ['x'])
      // @ts-expect-error there is no such scope
      ctx.auth.context?.can('posts:raed')
    })
  })

  test('a route does not require "*", which only tokens and sessions carry', () => {
    check(async (ctx) => {
      // @ts-expect-error not a scope of the catalogue
      middleware.scopes(['*'])
      // @ts-expect-error not a scope of the catalogue
      await requireScopes(ctx, ['*'])
    })
  })

  test('a default scope outside the catalogue does not compile', () => {
    check(() => {
      defineOAuth2Config({ scopes: { a: 'A' }, defaultScopes: ['a'] })
      // @ts-expect-error the catalogue does not have it
      defineOAuth2Config({ scopes: { a: 'A' }, defaultScopes: ['b'] })
    })
  })
})

test.group('Types | Test client', () => {
  test('guards, users and scopes are those of the application', () => {
    check((_ctx, client) => {
      const user = {} as User
      client.get('/').loginAs(user).withApiToken(user.id, ['anything'], 'api')
      client
        .get('/')
        .withGuard('oauth')
        .loginAs(user, { scopes: ['posts:read'] })
      client.get('/').withOAuthToken(user, { scopes: ['*'] })
      // @ts-expect-error there is no such scope
      client.get('/').withOAuthToken(user, { scopes: ['posts:raed'] })
      const oauth = client.get('/').withGuard('oauth')
      // @ts-expect-error there is no such scope
      oauth.loginAs(user, { scopes: ['posts:raed'] })
      // @ts-expect-error there is no such guard
      client.get('/').withGuard('wbe')
      // @ts-expect-error a token guard signs nobody in
      client.get('/').loginAs(user, 'api')
      // @ts-expect-error this is no user
      client.get('/').loginAs({ id: 1 })
    })
  })
})

function emptyCatalogue() {
  return defineOAuth2Config()
}
