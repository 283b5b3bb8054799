import { createHash } from 'node:crypto'

import app from '@adonisjs/core/services/app'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { AuthorizationServer } from 'adonis-auth-kit/oauth2'
import scopes from '#config/scopes'
import { UserFactory } from '#database/factories/user_factory'

/** All that the application has. */
const scope = Object.keys(scopes).join(' ')

const REDIRECT_URI = 'https://client.example.com/callback'
const VERIFIER = 'v'.repeat(43)

async function registerClient(confidential = false) {
  const { clients } = await app.container.make(AuthorizationServer)
  return clients.register('Notes', [REDIRECT_URI], confidential, [], [], null)
}

test.group('OAuth 2.1', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('GET /.well-known/oauth-authorization-server is public metadata', async ({ client }) => {
    const response = await client.get('/.well-known/oauth-authorization-server')
    response.assertStatus(200)
  })

  test('a person approves a client, which gets tokens for the code and refreshes them', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    const [{ id }] = await registerClient()
    const request = {
      response_type: 'code',
      client_id: id,
      redirect_uri: REDIRECT_URI,
      scope,
      code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
      code_challenge_method: 'S256',
      state: 's',
    }
    const asked = await client.get('/oauth/authorize').qs(request).loginAs(user)
    asked.assertBodyContains({ client_name: 'Notes', scope })
    const approved = await client
      .post('/oauth/authorize')
      .json({ ...request, approved: true })
      .loginAs(user)
    const { searchParams } = new URL(approved.body().redirect_to)
    assert.equal(searchParams.get('state'), 's')

    const exchange = (form: Record<string, string>) =>
      client.post('/oauth/token').form({ client_id: id, redirect_uri: REDIRECT_URI, ...form })
    const tokens = await exchange({
      grant_type: 'authorization_code',
      code: searchParams.get('code')!,
      code_verifier: VERIFIER,
    })
    tokens.assertStatus(200)
    const me = await client.get('/api/me').bearerToken(tokens.body().access_token)
    me.assertBodyContains({ user: { id: user.id } })
    const again = await exchange({
      grant_type: 'refresh_token',
      refresh_token: tokens.body().refresh_token,
    })
    again.assertStatus(200)

    const apps = await client.get('/api/connected-apps').loginAs(user)
    const [connected] = apps.body().connected_apps
    const ended = await client.delete(`/api/connected-apps/${connected.id}`).loginAs(user)
    ended.assertStatus(204)
    const after = await client.get('/api/me').bearerToken(again.body().access_token)
    after.assertStatus(401)
  })

  test('POST {path} refuses a client that is not one')
    .with([{ path: '/oauth/token' }, { path: '/oauth/introspect' }, { path: '/oauth/revoke' }])
    .run(async ({ client }, { path }) => {
      const response = await client
        .post(path)
        .basicAuth('nobody', 'x')
        .form({ grant_type: 'client_credentials', token: 'x' })
      response.assertStatus(401)
      response.assertBodyContains({ error: 'invalid_client' })
    })

  test('a confidential client introspects and revokes', async ({ client }) => {
    const [{ id }, secret] = await registerClient(true)
    const introspected = await client
      .post('/oauth/introspect')
      .basicAuth(id, secret!)
      .form({ token: 'x' })
    introspected.assertBody({ active: false })
    const revoked = await client.post('/oauth/revoke').basicAuth(id, secret!).form({ token: 'x' })
    revoked.assertStatus(200)
  })

  test('a personal access token is made, listed and revoked', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const made = await client
      .post('/oauth/personal-access-tokens')
      .loginAs(user)
      .json({ name: 'Script', scopes: scope.split(' ') })
    assert.include([200, 201], made.status())
    const list = await client.get('/oauth/personal-access-tokens').loginAs(user)
    assert.lengthOf(list.body(), 1)
    const revoked = await client.delete('/oauth/personal-access-tokens').loginAs(user)
    assert.include([200, 204], revoked.status())
  }).skip(!scope, 'config/scopes.ts has no scope')

  test('GET {path} is a page of the account')
    .with([{ path: '/account/access-tokens' }, { path: '/account/connected-apps' }])
    .run(async ({ client }, { path }) => {
      const response = await client
        .get(path)
        .accept('html')
        .loginAs(await UserFactory.create())
      response.assertStatus(200)
    })
})
