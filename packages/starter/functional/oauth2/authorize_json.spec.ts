import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { hashSecret } from '#kit/security/secrets'
import {
  OTHER_RESOURCE,
  REDIRECT_URI,
  RESOURCE,
  type TestClient,
  authorizationFields,
  authorize,
  encodeForm,
  read,
  registerClient,
  useConfig,
  isolate,
} from '#starter/helpers/oauth'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const VERIFIER = 'v'.repeat(43)

/** Asks what would be approved. */
async function ask(visitor: Visitor, fields: Record<string, unknown>) {
  return read(await visitor.get(`/oauth/authorize?${encodeForm(fields as any)}`))
}

test.group('GET /oauth/authorize as JSON', (group) => {
  group.each.setup(isolate)

  test('says what is to be approved', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient({ name: 'Ünïcode & Co' })
    const fields = authorizationFields(client, { resource: RESOURCE, state: 'ä b+c%20' })
    const { status, body, headers } = await ask(visitor, fields)
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('referrer-policy'), 'same-origin')
    assert.deepEqual(body, {
      client_id: client.id,
      client_name: 'Ünïcode & Co',
      redirect_uri: REDIRECT_URI,
      scope: 'posts:read posts:write',
      scopes: [
        { name: 'posts:read', description: 'Read your posts' },
        { name: 'posts:write', description: 'Write and change your posts' },
      ],
      state: 'ä b+c%20',
      response_type: 'code',
      code_challenge: fields.code_challenge,
      code_challenge_method: 'S256',
      resource: RESOURCE,
      requires_approval: true,
    })
  })

  test('absent values are null, and default scopes are resolved', async ({ assert }) => {
    await useConfig({
      requirePkce: false,
      requireRedirectUri: false,
      defaultScopes: ['posts:read'],
    })
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { body } = await ask(visitor, { response_type: 'code', client_id: client.id, state: '' })
    assert.equal(body.scope, 'posts:read')
    for (const name of ['redirect_uri', 'state', 'code_challenge', 'code_challenge_method']) {
      assert.isNull(body[name])
    }
    assert.isNull(body.resource)
  })

  test('needs a signed-in user', async ({ assert }) => {
    const { status, body, headers } = await ask(new Visitor(), {})
    assert.equal(status, 401)
    assert.equal(body.error, 'invalid_session')
    assert.equal(headers.get('www-authenticate'), 'Bearer')
  })

  test('a missing response_type is invalid_request', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const fields = authorizationFields(client, { response_type: undefined })
    const { status, body } = await ask(visitor, fields)
    assert.equal(status, 400)
    assert.equal(body.error, 'invalid_request')
  })

  test('issues no code, and does not mind whose users the client acts for', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    await db.from('oauth_clients').where('id', client.id).update({ provider: 'others' })
    const { status } = await ask(visitor, authorizationFields(client))
    assert.equal(status, 200)
    assert.lengthOf(await db.from('oauth_auth_codes'), 0)
  })
})

test.group('POST /oauth/authorize as JSON', (group) => {
  group.each.setup(isolate)

  test('answers code, state, iss and redirect_to, which keeps its own query', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const state = 'ä b&c=d+e%20'
    const { status, body, headers } = await authorize(visitor, client, { state })
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.sameMembers(Object.keys(body), ['code', 'state', 'iss', 'redirect_to'])
    assert.match(body.code, /^[A-Za-z0-9]{43,}$/)
    assert.equal(body.state, state)
    assert.equal(body.iss, await serverUrl())
    assert.isTrue(body.redirect_to.startsWith(`${REDIRECT_URI}&code=`))
    const { searchParams } = new URL(body.redirect_to)
    assert.deepEqual(Object.fromEntries(searchParams), {
      app: '1',
      code: body.code,
      iss: body.iss,
      state,
    })
  })

  test('only the hash of a code is stored', async ({ assert }) => {
    const { visitor } = await signedIn()
    const { body } = await authorize(visitor, await registerClient())
    const [row] = await db.from('oauth_auth_codes')
    assert.equal(row.code_hash, hashSecret(body.code))
    assert.notInclude(JSON.stringify(row), body.code)
  })

  test('the configured issuer is the iss of the response', async ({ assert }) => {
    await useConfig({ issuer: 'https://id.example.com/' })
    const { visitor } = await signedIn()
    const { body } = await authorize(visitor, await registerClient())
    assert.equal(body.iss, 'https://id.example.com')
    assert.equal(new URL(body.redirect_to).searchParams.get('iss'), 'https://id.example.com')
  })

  test('without a state there is none, and without a redirect_uri no redirect_to', async ({
    assert,
  }) => {
    await useConfig({ requireRedirectUri: false })
    const { visitor } = await signedIn()
    const client = await registerClient({ redirectUris: [REDIRECT_URI, 'https://b.example.com/'] })
    const { body } = await authorize(visitor, client, { redirect_uri: '', state: '' })
    assert.sameMembers(Object.keys(body), ['code', 'iss'])
  })

  test('response_type defaults to code', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { status } = await authorize(visitor, client, { response_type: undefined })
    assert.equal(status, 200)
  })

  test('a page may send back what GET has answered: members that nobody knows are ignored', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { body: described } = await ask(visitor, authorizationFields(client))
    const { status, body } = await authorize(visitor, client, described)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.state, described.state)
  })

  test('a session without its CSRF token is refused', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { status, body } = await read(
      await visitor.post('/oauth/authorize', {
        json: { ...authorizationFields(client), approved: true },
      })
    )
    assert.equal(status, 403)
    assert.equal(body.error, 'csrf_token_mismatch')
    assert.lengthOf(await db.from('oauth_auth_codes'), 0)
  })

  test('an access token is no sign-in: the authorization guard identifies the user', async ({
    assert,
    client: http,
  }) => {
    const { user } = await signedIn()
    const client = await registerClient()
    const body = { ...authorizationFields(client), approved: true }
    const token = { scopes: ['posts:read', 'posts:write'] as const }
    const refused = await http.post('/oauth/authorize').withOAuthToken(user, token).json(body)
    refused.assertStatus(401)

    await useConfig({ authorizationGuard: 'oauth' })
    const accepted = await http.post('/oauth/authorize').withOAuthToken(user, token).json(body)
    accepted.assertStatus(200)

    const narrow = { scopes: ['posts:read'] as const }
    const denied = await http.post('/oauth/authorize').withOAuthToken(user, narrow).json(body)
    denied.assertStatus(400)
    assert.equal(denied.body().error, 'access_denied')
  })

  for (const approved of [undefined, false, null, 'true', 1, 'yes', [true], {}]) {
    test(`approved: ${JSON.stringify(approved)} is access_denied`, async ({ assert }) => {
      const { visitor } = await signedIn()
      const { status, body, headers } = await authorize(visitor, await registerClient(), {
        approved,
      })
      assert.equal(status, 400)
      assert.equal(body.error, 'access_denied')
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.lengthOf(await db.from('oauth_auth_codes'), 0)
    })
  }

  const refusals: [title: string, more: Record<string, unknown>, error: string, status?: number][] =
    [
      ['response_type token', { response_type: 'token' }, 'unsupported_response_type'],
      [
        'response_type id_token code',
        { response_type: 'code id_token' },
        'unsupported_response_type',
      ],
      ['response_mode fragment', { response_mode: 'fragment' }, 'invalid_request'],
      ['no client_id', { client_id: undefined }, 'invalid_request'],
      ['an unknown client', { client_id: 'unknown' }, 'invalid_client', 401],
      ['a client id that no database could hold', { client_id: 'ü' }, 'invalid_client', 401],
      ['no redirect_uri', { redirect_uri: undefined }, 'invalid_request'],
      ['a longer redirect_uri', { redirect_uri: `${REDIRECT_URI}&x=1` }, 'invalid_request'],
      [
        'a redirect_uri in other case',
        { redirect_uri: REDIRECT_URI.toUpperCase() },
        'invalid_request',
      ],
      ['another redirect_uri', { redirect_uri: 'https://evil.example.com/' }, 'invalid_request'],
      ['an unknown scope', { scope: 'posts:read nonsense' }, 'invalid_scope'],
      ['the scope *', { scope: '*' }, 'invalid_scope'],
      [
        'no code_challenge',
        { code_challenge: undefined, code_challenge_method: undefined },
        'invalid_request',
      ],
      [
        'a code_challenge without a method, which means plain',
        { code_challenge_method: undefined },
        'invalid_request',
      ],
      [
        'the method plain',
        { code_challenge: VERIFIER, code_challenge_method: 'plain' },
        'invalid_request',
      ],
      ['an unknown method', { code_challenge_method: 'S512' }, 'invalid_request'],
      ['a short code_challenge', { code_challenge: 'a'.repeat(42) }, 'invalid_request'],
      ['a long code_challenge', { code_challenge: 'a'.repeat(44) }, 'invalid_request'],
      [
        'a code_challenge that is no base64url',
        { code_challenge: 'a'.repeat(42) + '=' },
        'invalid_request',
      ],
      ['an unlisted resource', { resource: 'https://other.example.com' }, 'invalid_target'],
      ['a resource with a slash more', { resource: `${OTHER_RESOURCE}/` }, 'invalid_target'],
      ['several resources', { resource: [RESOURCE, OTHER_RESOURCE] }, 'invalid_target'],
    ]
  for (const [title, more, error, expected = 400] of refusals) {
    test(`${title}: ${error}`, async ({ assert }) => {
      const { visitor } = await signedIn()
      const { status, body, headers } = await authorize(visitor, await registerClient(), more)
      assert.equal(status, expected)
      assert.equal(body.error, error)
      assert.match(body.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.lengthOf(await db.from('oauth_auth_codes'), 0)
    })
  }

  test('the method compares without regard to case', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { status } = await authorize(visitor, client, { code_challenge_method: 's256' })
    assert.equal(status, 200)
  })

  test('where plain is accepted, a missing method means it', async ({ assert }) => {
    await useConfig({ pkceMethods: ['S256', 'plain'] })
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { status } = await authorize(visitor, client, {
      code_challenge: VERIFIER,
      code_challenge_method: undefined,
    })
    assert.equal(status, 200)
    const [row] = await db.from('oauth_auth_codes')
    assert.equal(row.code_challenge_method, 'plain')
  })

  test('where PKCE is not required a public client still needs it', async ({ assert }) => {
    await useConfig({ requirePkce: false })
    const { visitor } = await signedIn()
    const without = { code_challenge: undefined, code_challenge_method: undefined }
    const confidential = await authorize(visitor, await registerClient(), without)
    assert.equal(confidential.status, 200)
    const publicClient = await registerClient({ confidential: false })
    const { status, body } = await authorize(visitor, publicClient, without)
    assert.equal(status, 400)
    assert.equal(body.error, 'invalid_request')
    const stray = await authorize(visitor, await registerClient(), { code_challenge: undefined })
    assert.equal(stray.body.error, 'invalid_request')
  })

  test('a revoked client is invalid_client', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    await db.from('oauth_clients').where('id', client.id).update({ revoked: true })
    const { status, body } = await authorize(visitor, client)
    assert.equal(status, 401)
    assert.equal(body.error, 'invalid_client')
  })

  test('a client without the grant is unauthorized_client', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient({ grantTypes: ['client_credentials'] })
    const { status, body } = await authorize(visitor, client)
    assert.equal(status, 400)
    assert.equal(body.error, 'unauthorized_client')
  })

  test('while the grant is disabled every client is unauthorized_client', async ({ assert }) => {
    await useConfig({ grantTypes: ['client_credentials'] })
    const { visitor } = await signedIn()
    const { body } = await authorize(visitor, await registerClient())
    assert.equal(body.error, 'unauthorized_client')
  })

  test('a client of another user provider is unauthorized_client', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    await db.from('oauth_clients').where('id', client.id).update({ provider: 'others' })
    const { status, body } = await authorize(visitor, client)
    assert.equal(status, 400)
    assert.equal(body.error, 'unauthorized_client')
    const own = await registerClient({ provider: 'users' })
    assert.equal((await authorize(visitor, own)).status, 200)
  })

  test('a scope outside the allow-list is invalid_scope, a default one too', async ({ assert }) => {
    await useConfig({ defaultScopes: ['posts:write'] })
    const { visitor } = await signedIn()
    const client = await registerClient({ scopes: ['posts:read'] })
    assert.equal((await authorize(visitor, client, { scope: 'posts:read' })).status, 200)
    for (const scope of ['posts:read posts:write', 'posts:write', '']) {
      const { body } = await authorize(visitor, client, { scope })
      assert.equal(body.error, 'invalid_scope')
    }
  })

  test('with an empty catalogue any scope is accepted, but never *', async ({ assert }) => {
    await useConfig({ scopes: {} })
    const { visitor } = await signedIn()
    const client = await registerClient()
    assert.equal((await authorize(visitor, client, { scope: 'what:ever' })).status, 200)
    for (const scope of ['*', 'a "b"', 'tab\tbed', 'bück']) {
      const { body } = await authorize(visitor, client, { scope })
      assert.equal(body.error, 'invalid_scope')
    }
  })

  test('of several faults the first in order is told', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient({ grantTypes: ['client_credentials'] })
    const everything: Record<string, unknown> = {
      response_type: 'token',
      client_id: 'unknown',
      redirect_uri: 'https://evil.example.com',
      scope: 'nonsense',
      code_challenge: 'x',
      resource: 'https://other.example.com',
      approved: false,
    }
    const told = async () => (await authorize(visitor, client, everything)).body.error
    const right = authorizationFields(client)

    const order: [string, () => unknown][] = [
      ['unsupported_response_type', () => (everything.response_type = right.response_type)],
      ['invalid_client', () => (everything.client_id = right.client_id)],
      ['unauthorized_client', () => allowEveryGrant(client)],
      ['invalid_request', () => (everything.redirect_uri = right.redirect_uri)],
      ['invalid_scope', () => (everything.scope = right.scope)],
      ['invalid_request', () => (everything.code_challenge = right.code_challenge)],
      ['invalid_target', () => (everything.resource = RESOURCE)],
      ['access_denied', () => (everything.approved = true)],
    ]
    for (const [error, mend] of order) {
      assert.equal(await told(), error)
      await mend()
    }
    await db.from('oauth_clients').where('id', client.id).update({ provider: 'others' })
    assert.equal(await told(), 'unauthorized_client')
  })
})

function allowEveryGrant(client: TestClient) {
  return db.from('oauth_clients').where('id', client.id).update({ grant_types: '[]' })
}

test.group('Redirect URIs of public clients', (group) => {
  group.each.setup(isolate)

  const cases: [registered: string, requested: string, accepted: boolean][] = [
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/cb', true],
    ['http://127.0.0.1:8000/cb', 'http://127.0.0.1:51004/cb', true],
    ['http://127.0.0.1:8000/cb', 'http://127.0.0.1/cb', true],
    ['http://[::1]/cb', 'http://[::1]:51004/cb', true],
    ['http://localhost/cb', 'http://localhost:51004/cb', true],
    ['http://localhost/cb', 'http://127.0.0.1:51004/cb', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/other', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/cb?x=1', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/cb#x', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:65535/cb', true],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:65536/cb', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004@evil.example.com/cb', false],
    ['http://127.0.0.1/cb', 'http://127.0.0.1.evil.example.com/cb', false],
    ['http://127.0.0.1/cb', 'https://127.0.0.1:51004/cb', false],
    ['https://example.com/cb', 'https://example.com:8080/cb', false],
    ['com.example.app:/cb', 'com.example.app:/cb', true],
    ['com.example.app:/cb', 'com.example.app:/other', false],
  ]
  for (const [registered, requested, accepted] of cases) {
    test(`${registered} ${accepted ? 'admits' : 'refuses'} ${requested}`, async ({ assert }) => {
      const { visitor } = await signedIn()
      const client = await registerClient({ confidential: false, redirectUris: [registered] })
      const { status, body } = await authorize(visitor, client, { redirect_uri: requested })
      assert.equal(status, accepted ? 200 : 400)
      assert.equal(body.error, accepted ? undefined : 'invalid_request')
    })
  }

  test('a confidential client’s loopback URI compares exactly', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient({ redirectUris: ['http://127.0.0.1:8000/cb'] })
    const { body } = await authorize(visitor, client, { redirect_uri: 'http://127.0.0.1:8001/cb' })
    assert.equal(body.error, 'invalid_request')
  })
})
