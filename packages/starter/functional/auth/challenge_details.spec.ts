import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { bearerChallenge } from '#kit/auth/challenge'
import { middleware } from '#start/kernel'
import { UserFactory } from '#database/factories/user_factory'
import '#starter/helpers/fixtures/json_api_routes'
import { SCOPED } from '#starter/helpers/fixtures/scoped_routes'

const CHALLENGE = 'www-authenticate'
const ANY = '/_test/challenges/any'
const ABILITIES = '/_test/challenges/abilities'
const INSUFFICIENT =
  'Bearer error="insufficient_scope", error_description="The request requires a scope that was not granted.", scope="posts:read posts:write"'

router
  .get(ANY, () => ({ read: true }))
  .use(middleware.scopes({ guards: ['api'], scopes: ['posts:read', 'posts:write'], mode: 'any' }))
router
  .get(ABILITIES, () => ({ read: true }))
  .use(middleware.abilities({ guards: ['api'], scopes: ['posts:read', 'posts:write'] }))

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

  test('name the first of several scopes of which one is enough', async ({ assert, client }) => {
    const anonymous = await client.get(ANY)
    assert.equal(anonymous.header(CHALLENGE), 'Bearer scope="posts:read"')

    const user = await UserFactory.create()
    const poor = await client.get(ANY).withApiToken(user, ['profile'])
    poor.assertStatus(403)
    assert.match(poor.header(CHALLENGE)!, /, scope="profile posts:read"$/)
    const rich = await client.get(ANY).withApiToken(user, ['posts:write'])
    rich.assertStatus(200)
  })

  test('name the abilities that a route needs', async ({ assert, client }) => {
    const anonymous = await client.get(ABILITIES)
    assert.equal(anonymous.header(CHALLENGE), 'Bearer scope="posts:read posts:write"')
  })

  test('leave out a scope that could not stand in the header, and "*"', ({ assert }) => {
    const scopes = ['posts:read', '*', 'a b', 'a"b', 'a\\b', 'ä', '', 'posts:read', 'x']
    assert.equal(bearerChallenge({ scopes }), 'Bearer scope="posts:read x"')
    assert.equal(bearerChallenge({ scopes: ['*'] }), 'Bearer')
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
