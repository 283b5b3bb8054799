import router from '@adonisjs/core/services/router'
import testUtils from '@adonisjs/core/services/test_utils'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { ApiToken } from '#kit/api_token/facade'
import { UserFactory } from '#database/factories/user_factory'
import { middleware } from '#start/kernel'
import { recordStatements } from '#starter/helpers/statements'

/*
| Routes of these tests alone.
*/
router
  .get('/test/api-token/me', ({ auth }) => ({ by: auth.getUserOrFail().id }))
  .use(middleware.auth({ guards: ['api'] }))
router
  .post('/test/api-token/posts', ({ auth }) => ({ by: auth.getUserOrFail().id }))
  .use(middleware.abilities({ scopes: ['posts:read', 'posts:write'], guards: ['api'] }))
router
  .get('/test/api-token/posts', ({ auth }) => ({ by: auth.getUserOrFail().id }))
  .use(
    middleware.abilities({ scopes: ['posts:read', 'posts:write'], mode: 'any', guards: ['api'] })
  )
router
  .delete('/test/api-token/current', async ({ auth }) => ({
    revoked: await ApiToken.revoke(auth.use('api').token!.id),
  }))
  .use(middleware.auth({ guards: ['api'] }))

async function service() {
  const manager = await app.container.make('auth_manager')
  return manager.feature('apiTokens')!
}

test.group('API token on a route', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.teardown(async () => {
    const tokens = await service()
    await tokens.settled()
  })

  test('a token authenticates its owner with its abilities as scopes', async ({ client }) => {
    const user = await UserFactory.create()
    const { plainText } = await ApiToken.create(user, { abilities: ['posts:read'] })

    const response = await client.get('/api/me').bearerToken(plainText)
    response.assertStatus(200)
    response.assertBody({
      user: { id: user.id, email: user.email, full_name: user.fullName },
      guard: 'api',
      scopes: ['posts:read'],
      client_id: null,
    })
  })

  test('a token without abilities may do everything', async ({ client }) => {
    const user = await UserFactory.create()
    const response = await client.post('/test/api-token/posts').withApiToken(user)
    response.assertStatus(200)
  })

  test('a token sets no cookie and needs no CSRF token', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const response = await client.post('/test/api-token/posts').withApiToken(user)
    response.assertStatus(200)
    assert.isUndefined(response.header('set-cookie'))
  })

  test('a missing ability is 403 insufficient_scope', async ({ client }) => {
    const user = await UserFactory.create()
    const response = await client.post('/test/api-token/posts').withApiToken(user, ['posts:read'])
    response.assertStatus(403)
    response.assertBodyContains({ error: 'insufficient_scope' })
    response.assertHeader('cache-control', 'no-store')
  })

  test('mode any is content with one ability', async ({ client }) => {
    const user = await UserFactory.create()
    const enough = await client.get('/test/api-token/posts').withApiToken(user, ['posts:write'])
    enough.assertStatus(200)
    const none = await client.get('/test/api-token/posts').withApiToken(user, ['other'])
    none.assertStatus(403)
  })

  test('{what} is 401 invalid_token, with one message for all')
    .with<{ what: string; header: (plainText: string) => string | undefined }[]>([
      { what: 'no header', header: () => undefined },
      { what: 'Bearer alone', header: () => 'Bearer' },
      { what: '"|"', header: () => 'Bearer |' },
      { what: '"id|"', header: (token) => `Bearer ${token.split('|')[0]}|` },
      { what: '"|secret"', header: (token) => `Bearer |${token.split('|')[1]}` },
      { what: '"1|x|y"', header: () => 'Bearer 1|x|y' },
      { what: 'a token with a tail', header: (token) => `Bearer ${token}|x` },
      { what: 'a token without the scheme', header: (token) => token },
      { what: 'a token as Basic', header: (token) => `Basic ${token}` },
      {
        what: 'an id of 30 digits',
        header: (token) => `Bearer ${'1'.repeat(30)}|${token.split('|')[1]}`,
      },
      {
        what: 'an id beyond the column',
        header: (token) => `Bearer 9223372036854775808|${token.split('|')[1]}`,
      },
      {
        what: 'the id with a leading zero',
        header: (token) => `Bearer 0${token}`,
      },
      { what: 'a negative id', header: (token) => `Bearer -${token}` },
      { what: 'SQL as id', header: (token) => `Bearer 1' OR '1'='1|${token.split('|')[1]}` },
      { what: 'an unknown id', header: (token) => `Bearer 999999999|${token.split('|')[1]}` },
      { what: 'a wrong secret', header: (token) => `Bearer ${token.slice(0, -1)}_` },
      {
        what: 'another secret of the right form',
        header: (token) => `Bearer ${token.split('|')[0]}|${'x'.repeat(43)}`,
      },
      { what: 'a huge secret', header: (token) => `Bearer ${token}${'x'.repeat(8000)}` },
    ])
    .run(async ({ client }, { header }) => {
      const user = await UserFactory.create()
      const { plainText } = await ApiToken.create(user)
      const request = client.get('/test/api-token/me').accept('json')
      const value = header(plainText)
      if (value !== undefined) {
        request.header('Authorization', value)
      }

      const response = await request
      response.assertStatus(401)
      response.assertHeader('www-authenticate', 'Bearer')
      response.assertHeader('cache-control', 'no-store')
      response.assertHeader('pragma', 'no-cache')
      response.assertBody({
        error: 'invalid_token',
        error_description: 'The access token is missing, invalid, expired or revoked.',
      })
    })

  test('an expired token is 401', async ({ client }) => {
    const user = await UserFactory.create()
    const { plainText } = await ApiToken.create(user, { expiresAt: new Date(Date.now() - 1) })
    const response = await client.get('/api/me').accept('json').bearerToken(plainText)
    response.assertStatus(401)
  })

  test('a revoked token is 401, and a token can revoke itself', async ({ client }) => {
    const user = await UserFactory.create()
    const { plainText } = await ApiToken.create(user)

    const response = await client.delete('/test/api-token/current').bearerToken(plainText)
    response.assertBody({ revoked: true })
    const afterwards = await client.get('/api/me').accept('json').bearerToken(plainText)
    afterwards.assertStatus(401)
  })

  test('the token of an inactive owner is 401 and kept', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const { plainText } = await ApiToken.create(user)
    await user.merge({ isActive: false }).save()

    const refused = await client.get('/api/me').accept('json').bearerToken(plainText)
    refused.assertStatus(401)
    assert.lengthOf(await ApiToken.tokens(user), 1)

    await user.merge({ isActive: true }).save()
    const welcome = await client.get('/api/me').bearerToken(plainText)
    welcome.assertStatus(200)
  })

  test('the token of an owner who is gone is 401 and deleted', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const { plainText } = await ApiToken.create(user)
    await user.delete()
    assert.lengthOf(await ApiToken.tokens(user), 1)

    const response = await client.get('/api/me').accept('json').bearerToken(plainText)
    response.assertStatus(401)
    assert.lengthOf(await ApiToken.tokens(user), 0)
  })

  test('a request with a token costs one statement', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const { plainText } = await ApiToken.create(user)
    await client.get('/api/me').bearerToken(plainText)
    const tokens = await service()
    await tokens.settled()

    const statements = await recordStatements(async () => {
      const response = await client.get('/api/me').bearerToken(plainText)
      response.assertStatus(200)
      await tokens.settled()
    })
    assert.lengthOf(statements, 1)
    assert.match(statements[0]!, /personal_api_tokens.*users/)
  })

  test('the use of a token is recorded', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const { plainText } = await ApiToken.create(user)
    const before = Date.now()

    await client.get('/api/me').bearerToken(plainText)
    const tokens = await service()
    await tokens.settled()
    const [token] = await ApiToken.tokens(user)
    assert.isAtLeast(token!.lastUsedAt!.getTime(), before)
    assert.isAtMost(token!.lastUsedAt!.getTime(), Date.now())
  })

  test('ApiToken works outside a request, by user and by id', async ({ assert }) => {
    const user = await UserFactory.create()
    const other = await UserFactory.create()
    const first = await ApiToken.create(user, { name: 'first' })
    const second = await ApiToken.create(user.id, { name: 'second' })
    await ApiToken.create(other)

    const names = async () => {
      const tokens = await ApiToken.tokens(user)
      return tokens.map(({ name }) => name)
    }
    assert.deepEqual(await names(), ['first', 'second'])
    assert.isTrue(await ApiToken.revoke(first.details.id))
    assert.isFalse(await ApiToken.revoke(first.details.id))
    assert.deepEqual(await names(), ['second'])
    assert.equal(await ApiToken.revokeAll(user.id), 1)
    assert.equal(second.details.userId, String(user.id))
    assert.lengthOf(await ApiToken.tokens(other, 'api'), 1)
  })

  test('an id in another spelling is that of its user, whose tokens are listed and revoked', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const spelled = `0${user.id}`
    const { details } = await ApiToken.create(spelled)
    assert.equal(details.userId, String(user.id))
    assert.lengthOf(await ApiToken.tokens(user), 1)
    assert.lengthOf(await ApiToken.tokens(spelled), 1)
    assert.equal(await ApiToken.revokeAll(spelled), 1)
  })

  test('loginAs signs a user in, and passes the CSRF check', async ({ client }) => {
    const user = await UserFactory.create()
    const me = await client.get('/api/me').loginAs(user)
    me.assertBodyContains({ user: { id: user.id }, guard: 'web', scopes: ['*'] })

    const logout = await client.post('/logout').accept('json').loginAs(user.id)
    logout.assertStatus(200)
  })
})
