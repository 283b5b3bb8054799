import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { hashSecret } from '#kit/security/secrets'
import { open } from '#starter/helpers/consent'
import {
  authorizationFields,
  basic,
  isolate,
  post,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { openPushed, push, pushed, usePushedRequests } from '#starter/helpers/par'
import { limit } from '#starter/helpers/limits'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const METADATA = '/.well-known/oauth-authorization-server'
const metadata = async (): Promise<any> => (await new Visitor().get(METADATA)).json()

test.group('POST /oauth/par (RFC 9126)', (group) => {
  group.each.setup(isolate)

  test('is not there unless it is turned on, and a request_uri means nothing then', async ({
    assert,
  }) => {
    const client = await registerClient()
    assert.equal((await push(client)).status, 404)
    assert.notProperty(await metadata(), 'pushed_authorization_request_endpoint')
    const { visitor } = await signedIn()
    assert.equal((await open(visitor, client, { request_uri: 'urn:x' })).status, 200)
  })

  test('§2.2: an authenticated client gets a reference for 60 seconds', async ({ assert }) => {
    await usePushedRequests()
    const client = await registerClient()
    const { status, headers, body } = await push(client)
    assert.equal(status, 201)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.match(body.request_uri, /^urn:ietf:params:oauth:request_uri:[A-Za-z0-9]{43}$/)
    assert.deepEqual(Object.keys(body), ['request_uri', 'expires_in'])
    assert.equal(body.expires_in, 60)
  })

  test('§5: the metadata name the endpoint, and say whether everybody has to use it', async ({
    assert,
  }) => {
    await usePushedRequests()
    const url = await serverUrl('/oauth/par')
    assert.equal((await metadata()).pushed_authorization_request_endpoint, url)
    assert.notProperty(await metadata(), 'require_pushed_authorization_requests')
    await usePushedRequests({ required: true })
    assert.isTrue((await metadata()).require_pushed_authorization_requests)
  })

  test('§2: a client authenticates as at the token endpoint', async ({ assert }) => {
    await usePushedRequests()
    const client = await registerClient()
    const wrong = await push(client, { client_secret: 'wrong' })
    assert.equal(wrong.status, 401)
    assert.equal(wrong.body.error, 'invalid_client')
    const fields = { client_secret: null, client_id: null }
    const headers = basic(client.id, client.secret)
    const byBasic = await push(client, fields, headers)
    assert.equal(byBasic.status, 201)
    const { visitor } = await signedIn()
    assert.equal((await openPushed(visitor, client, byBasic.body.request_uri)).status, 200)
    assert.equal((await push(await registerClient({ confidential: false }))).status, 201)
  })

  const REFUSED: [error: string, fields: Record<string, string | null>][] = [
    ['invalid_request', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }],
    ['invalid_request', { response_type: null }],
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_request', { response_mode: 'form_post' }],
    ['invalid_request', { redirect_uri: null }],
    ['invalid_request', { redirect_uri: 'https://evil.example.com/' }],
    ['invalid_scope', { scope: 'nonsense' }],
    ['invalid_request', { code_challenge: null, code_challenge_method: null }],
    ['invalid_target', { resource: 'https://other.example.com' }],
    ['invalid_request', { prompt: 'none login' }],
  ]
  for (const [error, fields] of REFUSED) {
    test(`§2.1, §2.3: refuses at once what /oauth/authorize refuses: ${JSON.stringify(fields)}`, async ({
      assert,
    }) => {
      await usePushedRequests()
      const { status, body } = await push(await registerClient(), fields)
      assert.equal(status, 400)
      assert.equal(body.error, error)
    })
  }

  test('a client without the code grant cannot push', async ({ assert }) => {
    await usePushedRequests()
    const client = await registerClient({ grantTypes: ['client_credentials'] })
    assert.equal((await push(client)).body.error, 'unauthorized_client')
  })

  test('public clients are counted by their address, confidential ones are not', async ({
    assert,
  }) => {
    await usePushedRequests()
    await limit({ pushedRequests: { perAddress: { attempts: 1, seconds: 3600 } } })
    const [anybody, known] = [await registerClient({ confidential: false }), await registerClient()]
    assert.equal((await push(anybody)).status, 201)
    assert.equal((await push(anybody)).status, 429)
    assert.equal((await push(known)).status, 201)
    assert.equal((await push(known)).status, 201)
  })

  test('a client that has registered itself is counted as a public one, with a secret, too', async ({
    assert,
  }) => {
    await usePushedRequests()
    await limit({ pushedRequests: { perAddress: { attempts: 1, seconds: 3600 } } })
    const client = await registerClient()
    await db.from('oauth_clients').where('id', client.id).update({ source: 'registration' })
    assert.equal((await push(client)).status, 201)
    assert.equal((await push(client)).status, 429)
  })

  test('secrets of the client are not kept, nor is the reference', async ({ assert }) => {
    await usePushedRequests()
    const client = await registerClient()
    const requestUri = await pushed(client)
    const [row] = await db.from('oauth_pushed_requests')
    assert.equal(row.uri_hash, hashSecret(requestUri))
    assert.notInclude(JSON.stringify(row), client.secret!)
  })

  test('required without being enabled stops the start', async ({ assert }) => {
    await assert.rejects(() => useConfig({ pushedRequests: { required: true } }), /needs "enabled"/)
  })

  test('malformed bodies are refused in one way', async ({ assert }) => {
    await usePushedRequests()
    const client = await registerClient()
    const twice = `client_id=${client.id}&client_secret=${client.secret}&scope=a&scope=b`
    assert.equal((await post('/oauth/par', twice)).body.error, 'invalid_request')
    const { body } = await post('/oauth/par', JSON.stringify(authorizationFields(client)), {
      'content-type': 'application/json',
    })
    assert.equal(body.error, 'invalid_request')
  })

  test('§2.3: a request that is too large is 413, an unreadable one is not', async ({ assert }) => {
    await usePushedRequests()
    const client = await registerClient()
    const large = await push(client, { state: 'x'.repeat(70_000) })
    assert.equal(large.status, 413)
    assert.equal(large.body.error, 'invalid_request')
    const unreadable = await push(client, {}, { 'content-encoding': 'zip' })
    assert.equal(unreadable.status, 400)
  })
})
