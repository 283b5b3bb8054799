import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import type { InvalidRequest } from '#kit/auth/errors'
import { Parameters } from '#kit/oauth2/parameters'
import {
  ALL_GRANTS,
  RESOURCE,
  type TestClient,
  authorizationFields,
  encodeForm,
  isolate,
  obtainCode,
  opens,
  post,
  read,
  redemption,
  refreshing,
  registerClient,
  useConfig,
  granted,
} from '#starter/helpers/oauth'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const FORM = 'application/x-www-form-urlencoded'

/** What no well-behaved client sends, by the value it makes of a parameter. */
const BROKEN: [title: string, make: (name: string, value: string) => string][] = [
  ['doubled', (name, value) => `${name}=${value}&${name}=${value}`],
  ['doubled, once empty', (name, value) => `${name}=&${name}=${value}`],
  ['bracketed', (name, value) => `${name}[]=${value}`],
  ['bracketed by a key', (name, value) => `${name}[a]=${value}`],
  ['bracketed in disguise', (name, value) => `${name}%5B%5D=${value}`],
  ['with a NUL', (name, value) => `${name}=${value}%00`],
  ['of invalid UTF-8', (name, value) => `${name}=${value}%ff`],
  ['of overlong UTF-8', (name, value) => `${name}=${value}%c0%80`],
  ['badly escaped', (name, value) => `${name}=${value}%zz`],
  ['too long', (name, value) => `${name}=${value}${'x'.repeat(8192)}`],
  ['of a megabyte', (name, value) => `${name}=${value}${'x'.repeat(1024 * 1024)}`],
]

/** The good request with one parameter broken. */
function breakParameter(
  good: Record<string, any>,
  name: string,
  make: (name: string, value: string) => string
) {
  const { [name]: value, ...rest } = good
  return `${encodeForm(rest)}&${make(name, encodeURIComponent(value ?? 'x'))}`
}

test.group('Messages about malformed parameters', () => {
  const names = [
    ...['approved', 'assertion', 'client_assertion', 'client_assertion_type', 'client_id'],
    ...['client_secret', 'code', 'code_challenge', 'code_challenge_method', 'code_verifier'],
    ...['device_code', 'dpop_jkt', 'grant_type', 'id_token_hint', 'max_age', 'nonce', 'password'],
    ...['prompt', 'redirect_uri', 'refresh_token', 'request', 'request_uri', 'resource'],
    ...['response_mode', 'response_type', 'scope', 'state', 'token', 'token_type_hint'],
    ...['user_code', 'username'],
  ]
  const messageOf = (name: string, value: unknown = 1) => {
    try {
      Parameters.fromJson({ [name]: value })
      return null
    } catch (error) {
      return (error as InvalidRequest).description
    }
  }

  test('name those of the protocols', ({ assert }) => {
    assert.deepEqual(
      names.map(messageOf),
      names.map((name) => `The parameter ${name} must be a text.`)
    )
  })

  test('never repeat another name: it is what the caller sent', ({ assert }) => {
    for (const name of ['foo', 'Code', 'hasOwnProperty', '<script>']) {
      assert.equal(messageOf(name, 'a\0'), 'A parameter has characters that are not text.')
    }
  })

  test('are not about a member that nobody knows, whatever it is (RFC 6749 §3.1)', ({ assert }) => {
    for (const name of ['scopes', 'requires_approval', 'Code', '__proto__', 'constructor']) {
      assert.deepEqual(
        [1, true, {}, [], null].map((value) => messageOf(name, value)),
        Array(5).fill(null)
      )
    }
  })

  test('a name in JSON has to be a text as in a form', ({ assert }) => {
    const reading = (name: string) => () => Parameters.fromJson({ [name]: 'x' })
    assert.throws(reading('a\0'), 'A parameter name has characters that are not text.')
    assert.throws(reading('x'.repeat(8193)), 'A parameter name is too long.')
  })
})

test.group('Malformed requests', (group) => {
  group.each.setup(isolate)

  async function goodRequests(): Promise<[path: string, fields: Record<string, any>][]> {
    await useConfig({ grantTypes: ALL_GRANTS })
    const { user, visitor, client, tokens } = await granted()
    const { client_id: id, client_secret: secret } = refreshing(client, '')
    const own = { client_id: id, client_secret: secret }
    const grant = await obtainCode(visitor, client, { resource: RESOURCE })
    return [
      ['/oauth/token', redemption(client, grant, { resource: RESOURCE })],
      ['/oauth/token', refreshing(client, tokens.refresh_token, { scope: 'posts:read' })],
      ['/oauth/token', { grant_type: 'client_credentials', scope: 'posts:read', ...own }],
      ['/token', { username: user.email, password: 'x', scope: 'posts:read' }],
      ['/oauth/introspect', { token: tokens.access_token, ...own }],
      ['/oauth/revoke', { token: tokens.refresh_token, token_type_hint: 'refresh_token', ...own }],
    ]
  }

  const counts = async () =>
    Promise.all(
      ['oauth_access_tokens', 'oauth_refresh_tokens', 'oauth_auth_codes'].map((table) =>
        db.from(table).whereNull('revoked_at').count('* as total')
      )
    )

  for (const [title, make] of BROKEN) {
    test(`a parameter ${title} is refused by every form endpoint, and nothing changes`, async ({
      assert,
    }) => {
      const requests = await goodRequests()
      const before = await counts()
      for (const [path, fields] of requests) {
        for (const name of Object.keys(fields)) {
          const { status, headers, body } = await post(path, breakParameter(fields, name, make))
          const expected =
            name === 'resource' && title.startsWith('doubled')
              ? 'invalid_target'
              : 'invalid_request'
          assert.equal(status, 400, `${path} ${name}`)
          assert.equal(body.error, expected, `${path} ${name}`)
          assert.equal(headers.get('cache-control'), 'no-store')
        }
      }
      assert.deepEqual(await counts(), before)
      const [redeem, refresh] = requests
      assert.equal((await post(...redeem!)).status, 200)
      assert.equal((await post(...refresh!)).status, 200)
    })
  }

  test('another content type than a form is invalid_request', async ({ assert }) => {
    const requests = await goodRequests()
    for (const [path, fields] of requests) {
      for (const [type, body] of [
        ['application/json', JSON.stringify(fields)],
        ['application/json', '{'],
        ['text/plain', encodeForm(fields)],
        ['multipart/form-data; boundary=x', '--x--'],
        ['multipart/form-data', '--x--'],
        ['application/xml', '<x/>'],
        ['', encodeForm(fields)],
        [`${FORM}; charset=utf-7`, encodeForm(fields)],
      ]) {
        const answer = await post(path, body!, { 'content-type': type! })
        assert.equal(answer.status, 400, `${path} ${type}`)
        assert.equal(answer.body.error, 'invalid_request', `${path} ${type}`)
      }
    }
    const [redeem] = requests
    const { status } = await post(redeem![0], encodeForm(redeem![1]), {
      'content-type': `${FORM}; charset=UTF-8`,
    })
    assert.equal(status, 200)
  })

  test('no body at all is a 4xx of the right code', async ({ assert }) => {
    const visitor = new Visitor()
    for (const [path, error] of [
      ['/oauth/token', 'invalid_request'],
      ['/token', 'unsupported_grant_type'],
      ['/oauth/introspect', 'invalid_client'],
      ['/oauth/revoke', 'invalid_client'],
    ]) {
      const { body } = await read(await visitor.post(path!))
      assert.equal(body.error, error)
    }
  })

  test('raw invalid UTF-8 in the body is invalid_request', async ({ assert }) => {
    const body = Buffer.concat([
      Buffer.from('grant_type=client_credentials&scope='),
      Buffer.of(255),
    ])
    const response = await new Visitor().post('/oauth/token', {
      body: new Uint8Array(body),
      headers: { 'content-type': FORM },
    })
    assert.equal(response.status, 400)
    assert.equal((await read(response)).body.error, 'invalid_request')
  })

  test('unknown parameters are ignored', async ({ assert }) => {
    const client = await registerClient()
    const { status } = await post('/oauth/token', {
      grant_type: 'client_credentials',
      ...refreshing(client, 'x', { grant_type: 'client_credentials' }),
      audience: 'x',
      constructor: 'y',
    })
    assert.equal(status, 200)
  })

  test('a wrong method is 405 with Allow', async ({ assert }) => {
    for (const path of ['/oauth/token', '/oauth/introspect', '/oauth/revoke', '/token']) {
      const response = await new Visitor().get(path)
      assert.equal(response.status, 405)
      assert.equal(response.headers.get('allow'), 'POST')
    }
  })

  test('GET /oauth/authorize refuses every broken parameter', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const good = authorizationFields(client, { resource: RESOURCE })
    for (const [title, make] of BROKEN.filter(([name]) => name !== 'of a megabyte')) {
      for (const name of Object.keys(good)) {
        const response = await visitor.get(`/oauth/authorize?${breakParameter(good, name, make)}`)
        const { status, body } = await read(response)
        assert.equal(status, 400, `${name} ${title}`)
        const doubled = name === 'resource' && title.startsWith('doubled')
        assert.equal(body.error, doubled ? 'invalid_target' : 'invalid_request')
      }
    }
  })

  test('commas in the query are what they are', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { body } = await read(
      await visitor.get(
        `/oauth/authorize?${encodeForm(authorizationFields(client, { state: undefined }))}&state=a,b`
      )
    )
    assert.equal(body.state, 'a,b')
  })

  const authorizeBodies: [title: string, make: (client: TestClient) => unknown][] = [
    ['a number', (client) => ({ ...authorizationFields(client), state: 1 })],
    ['an object', (client) => ({ ...authorizationFields(client), scope: {} })],
    ['a list', (client) => ({ ...authorizationFields(client), client_id: [client.id] })],
    ['a boolean', (client) => ({ ...authorizationFields(client), redirect_uri: true })],
    ['a NUL', (client) => ({ ...authorizationFields(client), state: 'a\0' })],
    ['a lone surrogate', (client) => ({ ...authorizationFields(client), state: '\ud800' })],
    ['a long text', (client) => ({ ...authorizationFields(client), state: 'x'.repeat(9000) })],
    ['a megabyte', (client) => ({ ...authorizationFields(client), state: 'x'.repeat(2 ** 20) })],
    ['no object', () => []],
    ['a text', () => 'x'],
    ['null', () => null],
  ]
  for (const [title, make] of authorizeBodies) {
    test(`POST /oauth/authorize with ${title} is invalid_request`, async ({ assert }) => {
      const { visitor } = await signedIn()
      const json = make(await registerClient())
      const body =
        Array.isArray(json) || json === null || typeof json !== 'object'
          ? json
          : { ...json, approved: true }
      const answer = await read(await visitor.send('/oauth/authorize', body))
      assert.equal(answer.status, 400)
      assert.equal(answer.body.error, 'invalid_request')
      assert.lengthOf(await db.from('oauth_auth_codes'), 0)
    })
  }

  test('POST /oauth/authorize with broken JSON, no body or another type is invalid_request', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    for (const [type, body] of [
      ['application/json', '{'],
      ['application/json', ''],
      ['text/plain', '{}'],
      ['multipart/form-data; boundary=x', '--x--'],
    ]) {
      const answer = await read(
        await visitor.post('/oauth/authorize', {
          body,
          headers: { 'content-type': type! },
          csrf: true,
        })
      )
      assert.equal(answer.status, 400, type)
      assert.equal(answer.body.error, 'invalid_request', type)
    }
  })

  test('odd identifiers of tokens are passed over', async ({ assert }) => {
    const { visitor, tokens } = await granted()
    for (const jti of ['x', '%00', 'x'.repeat(3000), '%F0%9F%98%80', "'; drop table users; --"]) {
      const response = await visitor.request('DELETE', `/oauth/tokens/${jti}`, { csrf: true })
      assert.include([204, 400, 404], response.status, jti)
    }
    assert.isTrue(await opens(tokens.access_token))
  })
})
