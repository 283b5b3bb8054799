import app from '@adonisjs/core/services/app'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import '#starter/helpers/fixtures/json_api_routes'
import { SCOPED } from '#starter/helpers/fixtures/scoped_routes'

const CHALLENGE = 'www-authenticate'
const INSUFFICIENT =
  'Bearer error="insufficient_scope", error_description="The request requires a scope that was not granted.", scope="posts:read posts:write"'

test.group('Challenges', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('name the scheme alone by default', async ({ client, assert }) => {
    const anonymous = await client.get('/api/me').accept('json')
    assert.equal(anonymous.header(CHALLENGE), 'Bearer')
    const user = await UserFactory.create()
    const poor = await client.post(SCOPED).withApiToken(user, ['posts:read']).json({})
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
    const user = await UserFactory.create()
    const good = await client.get('/api/me').withApiToken(user)
    good.assertStatus(200)
    const wrong = await client.get('/api/me').accept('json').bearerToken('wrong')
    wrong.assertStatus(401)
    assert.equal(
      wrong.header(CHALLENGE),
      'Bearer error="invalid_token", error_description="The access token is missing, invalid, expired or revoked."'
    )
  })

  test('name the scopes that the route needs and those that the token has', async ({
    client,
    assert,
  }) => {
    const anonymous = await client.post(SCOPED).json({})
    anonymous.assertStatus(401)
    assert.equal(anonymous.header(CHALLENGE), 'Bearer scope="posts:write"')

    const user = await UserFactory.create()
    const poor = await client.post(SCOPED).withApiToken(user, ['posts:read']).json({})
    poor.assertStatus(403)
    assert.equal(poor.header(CHALLENGE), INSUFFICIENT)
  })

  test('name them on JSON:API routes too', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const poor = await client
      .post('/_test/json_api/scoped')
      .header('content-type', 'application/vnd.api+json')
      .header('accept', 'application/vnd.api+json')
      .withApiToken(user, ['posts:read'])
      .json({ data: { type: 'songs' } })
    poor.assertStatus(403)
    assert.equal(poor.header(CHALLENGE), INSUFFICIENT)
  })
})
