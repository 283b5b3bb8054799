import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import {
  credentials,
  createUser,
  obtainTokens,
  postForm,
  registerClient,
} from '#tests/helpers/oauth2'

test.group('OAuth | flow', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('code, tokens, refresh, introspection', async ({ client, assert }) => {
    const user = await createUser()
    const oauthClient = await registerClient()
    const tokens = await obtainTokens(client, user, oauthClient)
    assert.equal(tokens.token_type, 'Bearer')
    const refreshed = await postForm(client, '/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      ...credentials(oauthClient),
    })
    refreshed.assertStatus(200)
    const me = await client.get('/api/me').bearerToken(refreshed.body().access_token)
    me.assertStatus(200)
    const old = await client.get('/api/me').bearerToken(tokens.access_token)
    old.assertStatus(401)
    const intro = await postForm(client, '/oauth/introspect', {
      token: refreshed.body().access_token,
      ...credentials(oauthClient),
    })
    console.log(intro.body(), me.body())
  })
})
