import app from '@adonisjs/core/services/app'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'

const CHALLENGE = 'www-authenticate'

test.group('Challenges', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('name the scheme alone by default', async ({ client, assert }) => {
    const anonymous = await client.get('/api/me').accept('json')
    assert.equal(anonymous.header(CHALLENGE), 'Bearer')
    const user = await UserFactory.create()
    const poor = await client.post('/api/posts').withApiToken(user, ['posts:read']).json({})
    poor.assertStatus(403)
    assert.isUndefined(poor.header(CHALLENGE))
  })
})

test.group('Challenges with details (RFC 6750 §3)', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(async () => {
    const { config } = await app.container.make('auth_manager')
    config.challengeDetails = true
    return () => {
      config.challengeDetails = false
    }
  })

  test('have no error code when no token came (§3.1)', async ({ client, assert }) => {
    const anonymous = await client.get('/api/me').accept('json')
    anonymous.assertStatus(401)
    assert.equal(anonymous.header(CHALLENGE), 'Bearer')
  })

  test('name the error of a token that is not valid', async ({ client, assert }) => {
    const wrong = await client.get('/api/me').accept('json').bearerToken('wrong')
    wrong.assertStatus(401)
    assert.equal(
      wrong.header(CHALLENGE),
      'Bearer error="invalid_token", error_description="The access token is missing, invalid, expired or revoked."'
    )
  })

  test('name the scopes that the route needs and those that the token has, on JSON:API routes too', async ({
    client,
    assert,
  }) => {
    const document = { data: { type: 'posts', attributes: { title: 'a', body: 'b' } } }
    const send = () =>
      client
        .post('/api/posts')
        .header('content-type', 'application/vnd.api+json')
        .header('accept', 'application/vnd.api+json')
        .json(document)

    const anonymous = await send()
    anonymous.assertStatus(401)
    assert.equal(anonymous.header(CHALLENGE), 'Bearer scope="posts:write"')

    const user = await UserFactory.create()
    const poor = await send().withApiToken(user, ['posts:read'])
    poor.assertStatus(403)
    assert.equal(
      poor.header(CHALLENGE),
      'Bearer error="insufficient_scope", error_description="The request requires a scope that was not granted.", scope="posts:read posts:write"'
    )
  })
})
