import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import {
  RESOURCE,
  basic,
  credentials,
  isolate,
  post,
  postToken,
  read,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { recordStatements } from '#starter/helpers/statements'
import { Visitor } from '#starter/helpers/visitor'

const GRANT = { grant_type: 'client_credentials' }

test.group('POST /oauth/token, client_credentials', (group) => {
  group.each.setup(isolate)

  test('answers an access token without a user and without a refresh token', async ({ assert }) => {
    const client = await registerClient()
    const { status, headers, body } = await postToken({
      ...GRANT,
      ...credentials(client),
      scope: 'posts:read',
    })
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.sameMembers(Object.keys(body), ['access_token', 'token_type', 'expires_in', 'scope'])
    assert.equal(body.scope, 'posts:read')
    const claims = decodeJwt(body.access_token)
    assert.equal(claims.sub, client.id)
    assert.equal(claims.client_id, client.id)
    assert.lengthOf(await db.from('oauth_refresh_tokens'), 0)
    const [row] = await db.from('oauth_access_tokens')
    assert.isNull(row.user_id)
  })

  test('a token without a user is refused where a user is needed', async ({ assert }) => {
    const client = await registerClient()
    const { body } = await postToken({ ...GRANT, ...credentials(client) })
    const { status, body: refusal } = await read(
      await new Visitor().get('/api/me', {
        headers: { authorization: `Bearer ${body.access_token}` },
      })
    )
    assert.equal(status, 401)
    assert.equal(refusal.error, 'invalid_token')
  })

  test('the scope is answered when none was asked for', async ({ assert }) => {
    await useConfig({ defaultScopes: ['posts:read'] })
    const client = await registerClient()
    const { body } = await postToken({ ...GRANT, ...credentials(client) })
    assert.equal(body.scope, 'posts:read')
    await useConfig({ defaultScopes: [] })
    const none = await postToken({ ...GRANT, ...credentials(client) })
    assert.strictEqual(none.body.scope, '')
  })

  test('a resource becomes the aud', async ({ assert }) => {
    const client = await registerClient()
    const { body } = await postToken({ ...GRANT, ...credentials(client), resource: RESOURCE })
    assert.equal(decodeJwt(body.access_token).aud, RESOURCE)
  })

  test('a public client is unauthorized_client', async ({ assert }) => {
    const client = await registerClient({ confidential: false })
    const { status, body } = await postToken({ ...GRANT, client_id: client.id })
    assert.equal(status, 400)
    assert.equal(body.error, 'unauthorized_client')
  })

  test('a client without the grant is unauthorized_client', async ({ assert }) => {
    const client = await registerClient({ grantTypes: ['authorization_code'] })
    const { body } = await postToken({ ...GRANT, ...credentials(client) })
    assert.equal(body.error, 'unauthorized_client')
  })

  test('a scope outside catalogue or allow-list is invalid_scope, a resource unlisted invalid_target', async ({
    assert,
  }) => {
    await useConfig({ defaultScopes: ['posts:write'] })
    const client = await registerClient({ scopes: ['posts:read'] })
    const ask = async (more: Record<string, string>) =>
      (await postToken({ ...GRANT, ...credentials(client), ...more })).body.error
    assert.equal(await ask({ scope: 'nonsense' }), 'invalid_scope')
    assert.equal(await ask({ scope: 'posts:write' }), 'invalid_scope')
    assert.equal(await ask({}), 'invalid_scope')
    assert.equal(await ask({ scope: '*' }), 'invalid_scope')
    assert.equal(
      await ask({ scope: 'posts:read', resource: 'https://x.example' }),
      'invalid_target'
    )
    assert.lengthOf(await db.from('oauth_access_tokens'), 0)
  })

  test('scopes that fill a token can be introspected and revoked, more are invalid_scope', async ({
    assert,
  }) => {
    await useConfig({ scopes: {} })
    const client = await registerClient()
    const ask = (scope: string) => postToken({ ...GRANT, ...credentials(client), scope })
    const { body } = await ask(`a ${'x'.repeat(4094)}`)
    const fields = { token: body.access_token, ...credentials(client) }
    assert.isTrue((await post('/oauth/introspect', fields)).body.active)
    assert.deepEqual((await post('/oauth/revoke', fields)).body, { revoked: true })
    const refused = await ask(`a ${'x'.repeat(4095)}`)
    assert.equal(refused.status, 400)
    assert.equal(refused.body.error, 'invalid_scope')
  })

  test('costs one client read and one insert', async ({ assert }) => {
    const client = await registerClient()
    const statements = await recordStatements(() =>
      postToken(GRANT, basic(client.id, client.secret))
    )
    assert.lengthOf(statements, 2)
    assert.match(statements[0]!, /^select .* from oauth_clients/i)
    assert.match(statements[1]!, /^insert into .oauth_access_tokens/i)
  })
})

test.group('The token endpoint', (group) => {
  group.each.setup(isolate)

  test('a missing grant_type is invalid_request, an unknown one unsupported_grant_type', async ({
    assert,
  }) => {
    const client = await registerClient()
    const ask = async (fields: Record<string, string>) =>
      (await postToken({ ...credentials(client), ...fields })).body.error
    assert.equal(await ask({}), 'invalid_request')
    assert.equal(await ask({ grant_type: '' }), 'invalid_request')
    for (const grantType of ['implicit', 'constructor', '__proto__', 'password']) {
      assert.equal(await ask({ grant_type: grantType }), 'unsupported_grant_type')
    }
  })

  test('a grant that is not enabled is unsupported_grant_type', async ({ assert }) => {
    await useConfig({ grantTypes: ['authorization_code'] })
    const client = await registerClient()
    for (const grantType of ['client_credentials', 'refresh_token']) {
      const { status, body } = await postToken({ ...credentials(client), grant_type: grantType })
      assert.equal(status, 400)
      assert.equal(body.error, 'unsupported_grant_type')
    }
  })
})
