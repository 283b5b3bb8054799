import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { AuthorizationServer } from '#kit/oauth2/authorization_server'
import {
  basic,
  isolate,
  obtainTokens,
  postToken,
  read,
  REDIRECT_URI,
  useConfig,
} from '#starter/helpers/oauth'
import { limit } from '#starter/helpers/limits'
import { stopClock } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const register = async (json: unknown, visitor = new Visitor()) =>
  read(await visitor.post('/oauth/register', { json }))

test.group('POST /oauth/register', (group) => {
  group.each.setup(isolate)

  test('is not there unless it is turned on', async ({ assert }) => {
    const { status } = await register({ redirect_uris: [REDIRECT_URI] })
    assert.equal(status, 404)
    assert.lengthOf(await db.from('oauth_clients'), 0)
  })

  test('registers a public client, and tells everything about it', async ({ assert }) => {
    stopClock()
    const { config } = await useConfig({ dynamicRegistration: true })
    const { status, headers, body } = await register({
      client_name: 'Ägent',
      redirect_uris: [REDIRECT_URI, 'http://127.0.0.1:3000/callback', REDIRECT_URI],
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'openid posts:read',
      software_id: 'ignored',
    })
    assert.equal(status, 201)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.match(headers.get('content-type')!, /^application\/json/)
    const { client_id: id, client_id_issued_at: issuedAt, ...rest } = body
    assert.match(id, /^[A-Za-z0-9]{22}$/)
    assert.equal(issuedAt, Date.now() / 1000)
    assert.deepEqual(rest, {
      client_name: 'Ägent',
      redirect_uris: [REDIRECT_URI, 'http://127.0.0.1:3000/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: [...Object.keys(config.scopes), 'offline_access'].join(' '),
    })
    const { visitor } = await signedIn()
    const client = { id, secret: null } as any
    assert.isString((await obtainTokens(visitor, client)).access_token)
  })

  test('offline_access is among its scopes when it may refresh, as in the metadata', async ({
    assert,
  }) => {
    const { config } = await useConfig({ dynamicRegistration: true })
    const scopeOf = async (...types: string[]) => {
      const grants = { grant_types: ['authorization_code', ...types] }
      const { body } = await register({ redirect_uris: [REDIRECT_URI], ...grants })
      return body.scope.split(' ')
    }
    assert.deepEqual(await scopeOf(), Object.keys(config.scopes))
    const metadata = await new Visitor().get('/.well-known/oauth-authorization-server')
    const { scopes_supported: supported } = (await read(metadata)).body
    assert.deepEqual(await scopeOf('refresh_token'), supported)
  })

  test('registers a confidential client, which is the default', async ({ assert }) => {
    await useConfig({ dynamicRegistration: true })
    const { status, body } = await register({ redirect_uris: [REDIRECT_URI] })
    assert.equal(status, 201)
    assert.match(body.client_secret, /^[A-Za-z0-9]{43}$/)
    assert.equal(body.client_secret_expires_at, 0)
    assert.equal(body.token_endpoint_auth_method, 'client_secret_basic')
    assert.deepEqual(body.grant_types, ['authorization_code', 'refresh_token'])
    const row = await db.from('oauth_clients').where('id', body.client_id).firstOrFail()
    assert.notInclude(JSON.stringify(row), body.client_secret)

    const { visitor } = await signedIn()
    const client = { id: body.client_id, secret: body.client_secret } as any
    const tokens = await obtainTokens(visitor, client)
    const refreshed = await postToken(
      { grant_type: 'refresh_token', refresh_token: tokens.refresh_token },
      basic(client.id, client.secret)
    )
    assert.equal(refreshed.status, 200)
    const own = await postToken(
      { grant_type: 'client_credentials' },
      basic(client.id, client.secret)
    )
    assert.equal(own.body.error, 'unauthorized_client', 'no token without a user')
  })

  test('tells a client that asks to be held to DPoP (RFC 9449 §5.2) that it is not', async ({
    assert,
  }) => {
    for (const enabled of [true, false]) {
      await useConfig({ dynamicRegistration: true, dpop: { enabled } })
      const metadata = { redirect_uris: [REDIRECT_URI], dpop_bound_access_tokens: true }
      const { status, body } = await register(metadata)
      assert.equal(status, 201)
      assert.isFalse(body.dpop_bound_access_tokens)
    }
  })

  const refused: Record<string, [metadata: object, error: string]> = {
    'no redirect URIs': [{ redirect_uris: undefined }, 'invalid_redirect_uri'],
    'an empty list of redirect URIs': [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    'redirect URIs that are no list': [{ redirect_uris: REDIRECT_URI }, 'invalid_redirect_uri'],
    'redirect URIs that are no texts': [{ redirect_uris: [1] }, 'invalid_redirect_uri'],
    'a redirect URI over http': [{ redirect_uris: ['http://a.example'] }, 'invalid_redirect_uri'],
    'a redirect URI with a fragment': [
      { redirect_uris: [`${REDIRECT_URI}#x`] },
      'invalid_redirect_uri',
    ],
    'a scheme of browsers': [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    'a long redirect URI': [
      { redirect_uris: [`https://a.example/${'x'.repeat(1983)}`] },
      'invalid_redirect_uri',
    ],
    'many redirect URIs': [
      { redirect_uris: Array.from({ length: 51 }, (_, index) => `https://a.example/${index}`) },
      'invalid_redirect_uri',
    ],
    'an empty name': [{ client_name: '' }, 'invalid_client_metadata'],
    'a name that turns the text around': [{ client_name: '\u202eA' }, 'invalid_client_metadata'],
    'a name that is no text': [{ client_name: {} }, 'invalid_client_metadata'],
    'another response type': [{ response_types: ['token'] }, 'invalid_client_metadata'],
    'no grant that it could use': [{ grant_types: ['password'] }, 'invalid_client_metadata'],
    'grants that are no list': [{ grant_types: 'authorization_code' }, 'invalid_client_metadata'],
    'an unknown method': [
      { token_endpoint_auth_method: 'private_key_jwt' },
      'invalid_client_metadata',
    ],
    'a method that is no text': [{ token_endpoint_auth_method: [] }, 'invalid_client_metadata'],
  }
  test('refuses {$self}')
    .with(Object.keys(refused))
    .run(async ({ assert }, what) => {
      await useConfig({ dynamicRegistration: true })
      const [metadata, error] = refused[what]!
      const { status, headers, body } = await register({
        client_name: 'A',
        redirect_uris: [REDIRECT_URI],
        ...metadata,
      })
      assert.equal(status, 400)
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(body.error, error)
      assert.notInclude(body.error_description, 'example')
      assert.lengthOf(await db.from('oauth_clients'), 0)
    })

  test('50 redirect URIs, and one of 2000 characters, are not too much', async ({ assert }) => {
    await useConfig({ dynamicRegistration: true })
    const uris = Array.from({ length: 49 }, (_, index) => `https://a.example/${index}`)
    const redirectUris = ['https://a.example/'.padEnd(2000, 'x'), ...uris]
    const { status, body } = await register({ redirect_uris: redirectUris })
    assert.equal(status, 201)
    assert.deepEqual(body.redirect_uris, redirectUris)
  })

  test('a body that is no JSON object is invalid_request: {$self}')
    .with(['[]', 'null', '"x"', '{', ''])
    .run(async ({ assert }, text) => {
      await useConfig({ dynamicRegistration: true })
      const headers = { 'content-type': 'application/json' }
      const { status, body } = await read(
        await new Visitor().post('/oauth/register', { body: text, headers })
      )
      assert.equal(status, 400)
      assert.equal(body.error, 'invalid_request')
    })

  test('needs no CSRF token, also from a browser that is signed in', async ({ assert }) => {
    await useConfig({ dynamicRegistration: true })
    const { visitor } = await signedIn()
    const { status } = await register({ redirect_uris: [REDIRECT_URI] }, visitor)
    assert.equal(status, 201)
  })

  test('every request counts for the address that it comes from', async ({ assert }) => {
    await useConfig({ dynamicRegistration: true })
    await limit({ clientRegistrations: { perAddress: { attempts: 2, seconds: 60 } } })
    assert.equal((await register({ redirect_uris: [REDIRECT_URI] })).status, 201)
    assert.equal((await register({})).status, 400)
    const { status, body, headers } = await register({ redirect_uris: [REDIRECT_URI] })
    assert.equal(status, 429)
    assert.equal(body.error, 'throttled')
    assert.isAbove(Number(headers.get('retry-after')), 0)
  })

  test('a client that nobody used is gone after a day, one with tokens stays', async ({
    assert,
  }) => {
    await useConfig({ dynamicRegistration: true })
    const advance = stopClock()
    const unused = (await register({ redirect_uris: [REDIRECT_URI] })).body
    const used = (await register({ redirect_uris: [REDIRECT_URI] })).body
    const { visitor } = await signedIn()
    await obtainTokens(visitor, { id: used.client_id, secret: used.client_secret } as any)
    advance(86_400)
    const server = await app.container.make(AuthorizationServer)
    assert.equal(await server.clients.purge(Date.now()), 1)
    assert.isNull(await server.clients.find(unused.client_id))
    assert.isNotNull(await server.clients.find(used.client_id))
  })
})
