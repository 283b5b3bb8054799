import { test } from '@japa/runner'

import {
  ALL_GRANTS,
  authorize,
  credentials,
  isolate,
  obtainTokens,
  postToken,
  refreshing,
  registerClient,
  useConfig,
  granted,
} from '#starter/helpers/oauth'
import { signedIn } from '#starter/helpers/visitor'

test.group('offline_access and openid (OpenID Connect Core 1.0 §3.1.2.1, §11)', (group) => {
  group.each.setup(isolate)

  test('are dropped where they are not to be had: {$self}')
    .with(['offline_access', 'openid', 'openid offline_access'])
    .run(async ({ assert }, extra) => {
      const scope = `posts:read ${extra}`
      const { client, tokens } = await granted({ scopes: ['posts:read'] }, { scope })
      assert.equal(tokens.scope, 'posts:read')
      assert.isString(tokens.refresh_token)

      const more = { scope: `${extra} posts:read` }
      const { body } = await postToken(refreshing(client, tokens.refresh_token, more))
      assert.equal(body.scope, 'posts:read')
    })

  test('alone they are as no scope: the default ones are granted', async ({ assert }) => {
    await useConfig({ defaultScopes: ['posts:read'] })
    const { tokens } = await granted({}, { scope: 'offline_access' })
    assert.equal(tokens.scope, 'posts:read')
  })

  test('are granted where the catalogue has them, and any scope is where it is empty', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const scope = 'posts:read offline_access'
    await useConfig({ scopes: { 'posts:read': 'Read', 'offline_access': 'Stay' } })
    const client = await registerClient()
    assert.equal((await obtainTokens(visitor, client, { scope })).scope, scope)
    await useConfig({ scopes: {} })
    assert.equal((await obtainTokens(visitor, client, { scope })).scope, scope)
  })

  test('other grants drop them too', async ({ assert }) => {
    await useConfig({ grantTypes: ALL_GRANTS })
    const client = await registerClient()
    const { status, body } = await postToken({
      grant_type: 'client_credentials',
      ...credentials(client),
      scope: 'posts:read offline_access',
    })
    assert.equal(status, 200)
    assert.equal(body.scope, 'posts:read')
  })

  test('every other unknown scope stays invalid_scope', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    for (const scope of [
      'posts:read offline',
      'OpenID posts:read',
      'profile',
      'offline_access x',
    ]) {
      assert.equal((await authorize(visitor, client, { scope })).body.error, 'invalid_scope')
    }
  })
})
