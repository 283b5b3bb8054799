import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import User from '#models/user'
import {
  ALL_GRANTS,
  type Fields,
  RESOURCE,
  credentials,
  isolate,
  opens,
  post,
  postToken,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { limit } from '#starter/helpers/limits'
import { authManager } from '#starter/helpers/passwords'
import { wrapForTest } from '#starter/helpers/replace'

test.group('The legacy password grant', (group) => {
  group.each.setup(isolate)

  test('while disabled, /oauth/token and /token answer unsupported_grant_type', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const fields = { grant_type: 'password', username: user.email, password: FACTORY_PASSWORD }
    for (const path of ['/oauth/token', '/token']) {
      const { status, headers, body } = await post(path, fields)
      assert.equal(status, 400)
      assert.equal(body.error, 'unsupported_grant_type')
      assert.equal(headers.get('cache-control'), 'no-store')
    }
    assert.equal((await post('/token', '')).body.error, 'unsupported_grant_type')
  })

  test('answers a token response on both endpoints', async ({ assert }) => {
    await useConfig({ grantTypes: ALL_GRANTS })
    const user = await UserFactory.create()
    const fields = { username: user.email, password: FACTORY_PASSWORD, scope: 'posts:read' }
    for (const [path, more] of [
      ['/oauth/token', { grant_type: 'password' }],
      ['/token', { grant_type: 'password' }],
      ['/token', {}],
    ] as [string, Fields][]) {
      const { status, headers, body } = await post(path, { ...fields, ...more })
      assert.equal(status, 200)
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(body.token_type, 'Bearer')
      assert.equal(body.scope, 'posts:read')
      assert.isString(body.refresh_token)
      assert.isTrue(await opens(body.access_token))
      const claims = decodeJwt(body.access_token)
      assert.equal(claims.sub, String(user.id))
      assert.isNull(claims.client_id)
    }
  })

  test('an address is that of the account whatever its case, as at the sign-in form', async ({
    assert,
  }) => {
    await useConfig({ grantTypes: ALL_GRANTS })
    const user = await UserFactory.create()
    const username = ` ${user.email.toUpperCase()}`
    const { status, body } = await post('/token', { username, password: FACTORY_PASSWORD })
    assert.equal(status, 200)
    assert.equal(decodeJwt(body.access_token).sub, String(user.id))
  })

  test('/token knows no other grant', async ({ assert }) => {
    await useConfig({ grantTypes: ALL_GRANTS })
    const client = await registerClient()
    const fields = { grant_type: 'client_credentials', ...credentials(client) }
    assert.equal((await post('/token', fields)).body.error, 'unsupported_grant_type')
  })

  test('a token that was issued to a client is bound to it', async ({ assert }) => {
    await useConfig({ grantTypes: ALL_GRANTS })
    const user = await UserFactory.create()
    const client = await registerClient()
    const { body } = await post('/token', {
      username: user.email,
      password: FACTORY_PASSWORD,
      ...credentials(client),
    })
    assert.equal(decodeJwt(body.access_token).client_id, client.id)
    const refresh = { grant_type: 'refresh_token', refresh_token: body.refresh_token }
    assert.equal((await postToken(refresh)).body.error, 'invalid_client')
    assert.equal((await postToken({ ...refresh, ...credentials(client) })).status, 200)
  })

  const changePassword = async (id: number) => {
    const users = (await authManager()).usersOf()
    await users.provider.updatePassword((await users.find(id))!, 'a secret of the owner')
  }
  const deactivate = async (id: number) => {
    await User.query().where({ id }).update({ isActive: false })
  }

  test('nothing works of what is given while {what}')
    .with([
      { what: 'the password is changed', act: changePassword },
      { what: 'the user is deactivated', act: deactivate },
    ])
    .run(async ({ assert }, { act }) => {
      await useConfig({ grantTypes: ALL_GRANTS })
      const user = await UserFactory.create()
      const users = (await authManager()).usersOf()
      wrapForTest(users, 'verify', (verify) => async (...parameters) => {
        const verified = await verify(...parameters)
        await act(user.id)
        return verified
      })
      const { status, body } = await post('/token', {
        username: user.email,
        password: FACTORY_PASSWORD,
      })
      assert.equal(status, 400)
      assert.equal(body.error, 'invalid_grant')
      for (const table of ['oauth_access_tokens', 'oauth_refresh_tokens']) {
        const [token] = await db.from(table)
        assert.isNotNull(token.revoked_at, table)
      }
    })

  test('unknown user, wrong password and inactive user are one invalid_grant', async ({
    assert,
  }) => {
    await useConfig({ grantTypes: ALL_GRANTS })
    const user = await UserFactory.create()
    const inactive = await UserFactory.merge({ isActive: false }).create()
    const answers = await Promise.all([
      post('/token', { username: 'nobody@example.com', password: FACTORY_PASSWORD }),
      post('/token', { username: user.email, password: 'wrong' }),
      post('/token', { username: inactive.email, password: FACTORY_PASSWORD }),
    ])
    for (const { status, body } of answers) {
      assert.equal(status, 400)
      assert.equal(body.error, 'invalid_grant')
      assert.deepEqual(body, answers[0].body)
    }
    assert.lengthOf(await db.from('oauth_access_tokens'), 0)
  })

  test('missing credentials are invalid_request', async ({ assert }) => {
    await useConfig({ grantTypes: ALL_GRANTS })
    assert.equal((await post('/token', { username: 'a@b.c' })).body.error, 'invalid_request')
    assert.equal((await post('/token', { password: 'x' })).body.error, 'invalid_request')
  })

  test('scopes and resource are judged before the credentials', async ({ assert }) => {
    await useConfig({ grantTypes: ALL_GRANTS })
    const wrong = { username: 'nobody@example.com', password: 'wrong' }
    const scope = await post('/token', { ...wrong, scope: 'nonsense' })
    assert.equal(scope.body.error, 'invalid_scope')
    const resource = await post('/token', { ...wrong, resource: 'https://x.example' })
    assert.equal(resource.body.error, 'invalid_target')
  })

  test('a resource becomes the aud', async ({ assert }) => {
    await useConfig({ grantTypes: ALL_GRANTS })
    const user = await UserFactory.create()
    const { body } = await post('/token', {
      username: user.email,
      password: FACTORY_PASSWORD,
      resource: RESOURCE,
    })
    assert.equal(decodeJwt(body.access_token).aud, RESOURCE)
  })

  test('a client’s failing credentials, missing grant and allow-list are judged', async ({
    assert,
  }) => {
    await useConfig({ grantTypes: ALL_GRANTS })
    const user = await UserFactory.create()
    const fields = { username: user.email, password: FACTORY_PASSWORD }
    const limited = await registerClient({ scopes: ['posts:read'] })
    const without = await registerClient({ grantTypes: ['client_credentials'] })
    const ask = async (more: Fields) => (await post('/token', { ...fields, ...more })).body.error
    assert.equal(await ask({ ...credentials(limited), client_secret: 'x' }), 'invalid_client')
    assert.equal(await ask({ client_secret: 'x' }), 'invalid_client')
    assert.equal(await ask({ ...credentials(limited), scope: 'posts:write' }), 'invalid_scope')
    assert.equal(await ask(credentials(without)), 'unauthorized_client')
  })

  test('a client with a provider makes it authenticate against that provider', async ({
    assert,
  }) => {
    await useConfig({ grantTypes: ALL_GRANTS })
    const manager = await app.container.make('auth_manager')
    const user = await UserFactory.create()
    const client = await registerClient({ provider: 'users' })
    const { status } = await post('/token', {
      username: user.email,
      password: FACTORY_PASSWORD,
      ...credentials(client),
    })
    assert.equal(status, 200)
    assert.isFalse(manager.hasUsers('others'))
  })

  test('failing passwords are throttled as failing logins are', async ({ assert }) => {
    await limit({ failedLogins: { perSubjectAndAddress: { attempts: 2, seconds: 60 } } })
    await useConfig({ grantTypes: ALL_GRANTS })
    const user = await UserFactory.create()
    const statuses = []
    for (const password of ['wrong', 'wrong', FACTORY_PASSWORD]) {
      statuses.push((await post('/token', { username: user.email, password })).status)
    }
    assert.deepEqual(statuses, [400, 400, 429])
  })
})
