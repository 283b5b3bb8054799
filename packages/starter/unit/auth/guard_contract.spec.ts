import { AuthManager as AdonisAuthManager, errors } from '@adonisjs/auth'
import type { GuardContract, InferAuthEvents } from '@adonisjs/auth/types'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import type { HttpContext } from '@adonisjs/core/http'
import hash from '@adonisjs/core/services/hash'
import { test } from '@japa/runner'

import { LucidUserProvider } from '#kit/auth/user_providers/lucid'
import { type UserProvider, MemoryUserProvider } from '#kit/auth/user_providers/user_provider'
import { Users } from '#kit/auth/users'
import { type ApiTokenGuard, tokenDriver } from '#kit/api_token/guard'
import type User from '#models/user'
import type { AuthorizationServer } from '#kit/oauth2/authorization_server'
import { defineConfig } from '#kit/oauth2/define_config'
import { Dpop } from '#kit/oauth2/dpop/dpop'
import { type OAuth2Guard, oauth2Driver } from '#kit/oauth2/guard'
import { MemoryTokenStore } from '#kit/oauth2/tokens/memory_token_store'
import { loadConfiguredKey } from '#kit/oauth2/keys/signing_key'
import { KeySet } from '#kit/oauth2/keys/key_set'
import { TokenIssuer } from '#kit/oauth2/tokens/token_issuer'
import { UsedGrants } from '#kit/oauth2/user_grants/used_grants'
import type { SessionGuard } from '#kit/session/guard'
import { createService } from '#starter/helpers/fixtures/api_tokens'
import { accessTokensOf } from '#starter/helpers/keys'
import { isSame } from '#starter/helpers/types'

/*
| The guards in an application on @adonisjs/auth: its own manager, authenticator
| and test client, and nothing of ours but the drivers and the users.
*/

interface Person {
  id: number
  email: string
}

/* Every guard keeps the contract of the package; a member that is missing fails "npm run typecheck". */
type Keeps<Contract, Guard extends Contract> = Guard
export type Kept = [
  Keeps<GuardContract<Person>, SessionGuard<Person>>,
  Keeps<GuardContract<Person>, ApiTokenGuard<Person>>,
  Keeps<GuardContract<Person>, OAuth2Guard<Person>>,
]

async function createApp() {
  const provider = new MemoryUserProvider({}, hash.use()) as MemoryUserProvider &
    UserProvider<Person>
  const users = new Users<Person>('users', provider, hash.use())
  const ann = (await provider.add({
    id: 1,
    email: 'ann@example.com',
    password: 'secret',
  })) as unknown as Person

  const config = defineConfig({ key: 'k'.repeat(32) })
  const configured = await loadConfiguredKey(config, { inProduction: false, warn: () => {} })
  const keys = new KeySet({ configured, logger: { error() {} } })
  const accessTokens = accessTokensOf(keys)
  const tokenIssuer = new TokenIssuer({ accessTokens, config } as AuthorizationServer)
  const tokens = new MemoryTokenStore()
  const usedGrants = new UsedGrants({ tokens } as unknown as AuthorizationServer)
  const dpop = new Dpop({ config, tokens })
  const spec = { provider: 'users' }

  const guards = {
    api: tokenDriver(createService()).create({ name: 'api', spec, users }),
    oauth: oauth2Driver({ accessTokens, tokens, tokenIssuer, usedGrants, dpop }).create({
      name: 'oauth',
      spec,
      users,
    }),
  }
  const manager = new AdonisAuthManager({ default: 'api' as const, guards })
  return { manager, ann, tokenIssuer, tokens }
}

function request(headers: Record<string, string> = {}): HttpContext {
  const ctx = new HttpContextFactory().create()
  Object.assign(ctx.request.request.headers, headers)
  return ctx
}

test.group('Guards in an application on @adonisjs/auth', () => {
  test('its authenticator asks them, and knows their users')
    .with(['api', 'oauth'] as const)
    .run(async ({ assert }, name) => {
      const { manager, ann } = await createApp()
      const { headers } = await manager
        .createAuthenticatorClient()
        .use(name)
        .authenticateAsClient(ann)
      const auth = manager.createAuthenticator(request(lowerCase(headers!)))

      const person: Person = await auth.authenticateUsing(['api', 'oauth'])
      assert.equal(person, ann)
      assert.equal(auth.authenticatedViaGuard, name)
      assert.isTrue(auth.isAuthenticated)
      assert.isTrue(auth.authenticationAttempted)
      const email: string | undefined = auth.user?.email
      assert.equal(email, 'ann@example.com')
      assert.equal(auth.getUserOrFail(), ann)
      // @ts-expect-error a person has no such property
      assert.isUndefined(auth.user?.emial)
    })

  test('a request without credentials is refused by its authenticator', async ({ assert }) => {
    const { manager } = await createApp()
    const auth = manager.createAuthenticator(request())
    assert.isFalse(await auth.check())
    assert.isFalse(auth.isAuthenticated)
    assert.isTrue(auth.authenticationAttempted)
    assert.isUndefined(auth.user)
    const error = await auth.authenticateUsing(['api', 'oauth']).catch((failure) => failure)
    assert.instanceOf(error, errors.E_UNAUTHORIZED_ACCESS)
  })

  test('a token without a user is nobody to its authenticator, and its scopes are at hand', async ({
    assert,
  }) => {
    const { manager, tokenIssuer, tokens } = await createApp()
    const { records, accessToken } = await tokenIssuer.prepare(
      { user: null, clientId: 'service', scopes: ['posts:read'], resource: null },
      null
    )
    await tokens.insertTokens(records)
    const auth = manager.createAuthenticator(request({ authorization: `Bearer ${accessToken}` }))

    assert.isFalse(await auth.checkUsing(['oauth']))
    await assert.rejects(
      () => auth.use('oauth').authenticate(),
      'The token does not belong to a user.'
    )
    assert.deepEqual(auth.use('oauth').context?.scopes, ['posts:read'])
    assert.equal(auth.use('oauth').context?.clientId, 'service')
  })

  test('a guard that has not looked at the request has no user, and says so', async ({
    assert,
  }) => {
    const { manager } = await createApp()
    const guard = manager.createAuthenticator(request()).use('oauth')
    assert.equal(guard.driverName, 'oauth2')
    assert.isFalse(guard.authenticationAttempted)
    assert.isFalse(guard.isAuthenticated)
    assert.isUndefined(guard.user)
    assert.throws(() => guard.getUserOrFail(), 'An authenticated user is required.')
  })

  test('users of a Lucid model have its type', async ({ assert }) => {
    const model = () => import('#models/user')
    const users = new Users('users', new LucidUserProvider({ model }, hash.use()), hash.use())
    const spec = { provider: 'users' }
    const factory = tokenDriver(createService()).create({ name: 'api', spec, users })
    const auth = new AdonisAuthManager({
      default: 'api',
      guards: { api: factory },
    }).createAuthenticator(request())

    isSame<typeof auth.user, User | undefined>()
    isSame<Awaited<ReturnType<typeof auth.authenticate>>, User>()
    assert.isFalse(await auth.check())
  })

  test('the events of a session guard are known to its types', ({ assert }) => {
    type Events = InferAuthEvents<{ web: (ctx: HttpContext) => SessionGuard<Person> }>
    const names: (keyof Events)[] = ['auth:login', 'auth:login_failed', 'auth:logout']
    assert.lengthOf(names, 3)
    // @ts-expect-error there is no such event
    names.push('auth:typo')
  })
})

/** Node.js gives header names in lower case. */
function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
  )
}
