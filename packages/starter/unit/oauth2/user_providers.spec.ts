import hash from '@adonisjs/core/services/hash'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { defineConfig as defineAuthConfig, oauth2Guard } from '#kit/auth/define_config'
import { InvalidGrant, InvalidToken, UnauthorizedClient } from '#kit/auth/errors'
import { AuthManager } from '#kit/auth/manager'
import { AuthorizationServer } from '#kit/oauth2/authorization_server'
import { DocumentFetcher } from '#kit/http/document_fetcher'
import { InMemoryClientRepository } from '#kit/oauth2/clients/client_repository'
import { defineConfig } from '#kit/oauth2/define_config'
import { oauth2Driver } from '#kit/oauth2/guard'
import { Parameters } from '#kit/oauth2/parameters'
import { MemoryClientSessionStore } from '#kit/oauth2/openid/logout/client_session_store'
import { MemoryTokenStore } from '#kit/oauth2/tokens/memory_token_store'
import { loadConfiguredKey } from '#kit/oauth2/keys/signing_key'
import { KeySet } from '#kit/oauth2/keys/key_set'

const API = 'https://api.example.com'

/** Two user providers that both know a user "1", and a guard for each. */
async function createApp() {
  const manager = new AuthManager(
    defineAuthConfig({
      default: { guard: 'users' },
      guards: {
        users: oauth2Guard({ provider: 'users' }),
        admins: { driver: 'passport', provider: 'admins' },
        implied: { provider: 'users' },
        api: oauth2Guard({ provider: 'users', audience: API }),
      },
      providers: {
        users: {
          driver: 'memory',
          usernameField: 'login',
          isActive: 'active',
          users: [{ id: 1, login: 'ann', password: 'of a user', active: true }],
        },
        admins: {
          driver: 'memory',
          users: [{ id: 1, email: 'ann', password: 'of an admin' }],
        },
      },
    }),
    hash.use()
  )
  const config = defineConfig({
    key: 'k'.repeat(32),
    resources: [API],
    grantTypes: ['password', 'refresh_token'],
  })
  const configured = await loadConfiguredKey(config, { inProduction: false, warn: () => {} })
  const server = new AuthorizationServer({
    config,
    manager,
    keys: new KeySet({ configured, logger: { error() {} } }),
    tokens: new MemoryTokenStore(),
    clientSessions: new MemoryClientSessionStore(),
    repository: new InMemoryClientRepository(),
    fetcher: async () => new DocumentFetcher({ maxBytes: 5120 }),
    announce: () => {},
    logger: { error() {}, warn() {} },
  })
  manager.registerDriver(oauth2Driver(server))
  await manager.build()
  await manager.warmUp()

  return {
    manager,
    server,
    token: (fields: Record<string, string | null>) =>
      server.grants.respond({
        ctx: new HttpContextFactory().create(),
        parameters: Parameters.fromJson({ grant_type: 'password', ...fields }),
      }),
    authenticate: (guard: string, token: string) => {
      const ctx = new HttpContextFactory().create()
      ctx.request.request.headers.authorization = `Bearer ${token}`
      return manager.guard(guard, ctx).authenticate()
    },
  }
}

const USER = { username: 'ann', password: 'of a user' }
const ADMIN = { username: 'ann', password: 'of an admin' }

test.group('OAuth with several user providers', () => {
  test('a client with a provider makes the password grant ask that provider', async ({
    assert,
  }) => {
    const { server, token } = await createApp()
    const [client, secret] = await server.clients.register('A', [], true, [], [], 'admins')
    const credentials = { client_id: client.id, client_secret: secret }
    const { access_token: accessToken } = await token({ ...ADMIN, ...credentials })
    assert.equal(decodeJwt(accessToken).sub, '1')
    await assert.rejects(() => token({ ...USER, ...credentials }), InvalidGrant)
  })

  test('without one it asks the default guard’s', async ({ assert }) => {
    const { token } = await createApp()
    const { access_token: accessToken } = await token(USER)
    assert.equal(decodeJwt(accessToken).sub, '1')
    await assert.rejects(() => token(ADMIN), InvalidGrant)
  })

  test('a client whose provider has left the config is refused, and its tokens are inactive', async ({
    assert,
  }) => {
    const { manager, server, token, authenticate } = await createApp()
    const [client, secret] = await server.clients.register('A', [], true, [], [], 'admins')
    const credentials = { client_id: client.id, client_secret: secret }
    const issued = await token({ ...ADMIN, ...credentials })

    const { hasUsers, users } = manager
    manager.hasUsers = (name) => name !== 'admins' && hasUsers.call(manager, name)
    manager.users = (name) => users.call(manager, name === 'admins' ? 'gone' : name)
    await assert.rejects(() => token({ ...ADMIN, ...credentials }), UnauthorizedClient)
    const refresh = { grant_type: 'refresh_token', refresh_token: issued.refresh_token! }
    await assert.rejects(() => token({ ...refresh, ...credentials }), InvalidGrant)
    await assert.rejects(() => authenticate('users', issued.access_token), InvalidToken)
    const { active } = await server.introspection.introspect({
      ctx: new HttpContextFactory().create(),
      parameters: Parameters.fromJson({ token: issued.access_token, ...credentials }),
    })
    assert.isFalse(active)
  })

  test('the same id is another person in another provider', async ({ assert }) => {
    const { server, token, authenticate } = await createApp()
    const [client, secret] = await server.clients.register('A', [], true, [], [], 'admins')
    const credentials = { client_id: client.id, client_secret: secret }
    const { access_token: ofAdmin } = await token({ ...ADMIN, ...credentials })
    const { access_token: ofUser } = await token(USER)

    assert.equal((await authenticate('admins', ofAdmin)).email, 'ann')
    assert.equal((await authenticate('users', ofUser)).login, 'ann')
    await assert.rejects(() => authenticate('users', ofAdmin), InvalidToken)
    await assert.rejects(() => authenticate('admins', ofUser), InvalidToken)
  })

  test('introspection and refresh judge the owner against the client’s provider', async ({
    assert,
  }) => {
    const { server, token } = await createApp()
    const [client, secret] = await server.clients.register('A', [], true, [], [], 'admins')
    const credentials = { client_id: client.id, client_secret: secret }
    const issued = await token({ ...ADMIN, ...credentials })
    const introspect = (value: string) =>
      server.introspection.introspect({
        ctx: new HttpContextFactory().create(),
        parameters: Parameters.fromJson({ token: value, ...credentials }),
      })
    assert.isTrue((await introspect(issued.access_token)).active)
    assert.isTrue((await introspect(issued.refresh_token!)).active)
    const refreshed = await token({
      grant_type: 'refresh_token',
      refresh_token: issued.refresh_token!,
      ...credentials,
    })
    assert.isString(refreshed.access_token)
  })

  test('a guard with an audience accepts tokens for it and no other', async ({ assert }) => {
    const { token, authenticate } = await createApp()
    const { access_token: bound } = await token({ ...USER, resource: API })
    const { access_token: unbound } = await token(USER)
    assert.equal((await authenticate('api', bound)).login, 'ann')
    await assert.rejects(() => authenticate('api', unbound), InvalidToken)
    await assert.rejects(() => authenticate('users', bound), InvalidToken)
  })

  test('passport is the same driver, and the one assumed when none is named', async ({
    assert,
  }) => {
    const { manager, token, authenticate } = await createApp()
    const { access_token: accessToken } = await token(USER)
    assert.equal((await authenticate('implied', accessToken)).login, 'ann')
    assert.equal(manager.guardDriver('admins'), 'oauth2')
  })

  test('an inactive user gets nothing', async ({ assert }) => {
    const { manager, server, token, authenticate } = await createApp()
    const issued = await token(USER)
    const user: any = await manager.users('users').find('1')
    user.active = false
    await assert.rejects(() => authenticate('users', issued.access_token), InvalidToken)
    await assert.rejects(() => token(USER), InvalidGrant)
    await assert.rejects(
      () => token({ grant_type: 'refresh_token', refresh_token: issued.refresh_token! }),
      InvalidGrant
    )
    const [client, secret] = await server.clients.register('A')
    const answer = await server.introspection.introspect({
      ctx: new HttpContextFactory().create(),
      parameters: Parameters.fromJson({
        token: issued.access_token,
        client_id: client.id,
        client_secret: secret,
      }),
    })
    assert.deepEqual(answer, { active: false })
  })
})

test.group('Revocation of a client', () => {
  test('can be repeated, and does what an interrupted one left undone', async ({ assert }) => {
    const { server, token } = await createApp()
    const [client, secret] = await server.clients.register('A', [], true, [], [], 'admins')
    const credentials = { client_id: client.id, client_secret: secret }
    const issued = await token({ ...ADMIN, ...credentials })
    const { jti } = decodeJwt(issued.access_token)
    const { revokeAll } = server.tokens
    server.tokens.revokeAll = () => Promise.reject(new Error('the power went'))
    await assert.rejects(() => server.clients.revoke(client.id), 'the power went')
    const isRevoked = async () =>
      (await server.tokens.findAccessToken(jti!))!.record.revokedAt !== null
    assert.isFalse(await isRevoked())

    server.tokens.revokeAll = revokeAll
    assert.isFalse(await server.clients.revoke(client.id))
    assert.isTrue(await isRevoked())
    assert.isNull(await server.clients.find(client.id))
  })
})
