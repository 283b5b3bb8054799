import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'

import { DatabaseKeyStore } from '#kit/oauth2/keys/key_store'
import { SIGNED_INTROSPECTION } from '#kit/oauth2/tokens/held_tokens'
import {
  type Fields,
  type TestClient,
  credentials,
  encodeForm,
  isolate,
  postToken,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor } from '#starter/helpers/visitor'

const JSON_TYPE = 'application/json'
const HTTP = { [oauth.allowInsecureRequests]: true } as const

const json = async (path: string) => (await new Visitor().get(path)).json() as Promise<any>

/** A server whose keys are published, a client, and an access token of it. */
async function prepare(algorithm = 'ES256') {
  const instance = new DatabaseKeyStore(() => db.connection())
  const server = await useConfig({ keys: { store: 'instance', instance } })
  const kid = await server.keys.stored!.add(algorithm, Date.now())
  await server.keys.refresh()
  const client = await registerClient()
  return { server, kid, client, token: await tokenOf(client) }
}

async function tokenOf(client: TestClient): Promise<string> {
  const { body } = await postToken({ grant_type: 'client_credentials', ...credentials(client) })
  return body.access_token
}

async function introspect(client: TestClient, token: string, accept: string, more: Fields = {}) {
  const response = await new Visitor().post('/oauth/introspect', {
    body: encodeForm({ token, ...credentials(client), ...more }),
    headers: { accept, 'content-type': 'application/x-www-form-urlencoded' },
  })
  const type = response.headers.get('content-type')!.split(';')[0]
  return { status: response.status, headers: response.headers, type, text: await response.text() }
}

test.group('JWT answers of introspection (RFC 9701)', (group) => {
  group.each.setup(isolate)

  test('the answer is signed for the client that asks, and says the same as the JSON (§5)', async ({
    assert,
  }) => {
    const { kid, client, token } = await prepare()
    const { status, headers, type, text } = await introspect(client, token, SIGNED_INTROSPECTION)
    assert.equal(status, 200)
    assert.equal(type, SIGNED_INTROSPECTION)
    assert.equal(headers.get('cache-control'), 'no-store')

    const issuer = await serverUrl()
    const jwks = createLocalJWKSet(await json('/.well-known/jwks.json'))
    const { payload, protectedHeader } = await jwtVerify(text, jwks, {
      issuer,
      audience: client.id,
      typ: 'token-introspection+jwt',
      maxTokenAge: 60,
    })
    assert.deepEqual(protectedHeader, { typ: 'token-introspection+jwt', kid, alg: 'ES256' })
    assert.sameMembers(Object.keys(payload), ['iss', 'aud', 'iat', 'token_introspection'])
    const plain = await introspect(client, token, JSON_TYPE)
    assert.deepEqual(payload.token_introspection, JSON.parse(plain.text))
  })

  test('an inactive token gives a signed answer, too, which says nothing else (§5)', async ({
    assert,
  }) => {
    const { client } = await prepare()
    const { text } = await introspect(client, 'unknown', SIGNED_INTROSPECTION)
    assert.deepEqual(decodeJwt(text).token_introspection, { active: false })
  })

  test('what is asked for by Accept: {accept}')
    .with([
      { accept: `${SIGNED_INTROSPECTION}, ${JSON_TYPE};q=0.5`, type: SIGNED_INTROSPECTION },
      { accept: `${SIGNED_INTROSPECTION};q=0.5, ${JSON_TYPE}`, type: JSON_TYPE },
      { accept: '*/*', type: JSON_TYPE },
      { accept: 'application/*', type: JSON_TYPE },
      { accept: '', type: JSON_TYPE },
      { accept: 'application/jwt', type: JSON_TYPE },
    ])
    .run(async ({ assert }, { accept, type }) => {
      const { client, token } = await prepare()
      assert.equal((await introspect(client, token, accept)).type, type)
    })

  test('without published keys there is JSON alone, and the metadata name no algorithm', async ({
    assert,
  }) => {
    const client = await registerClient()
    const token = await tokenOf(client)
    assert.equal((await introspect(client, token, SIGNED_INTROSPECTION)).type, JSON_TYPE)
    const metadata = await json('/.well-known/oauth-authorization-server')
    assert.notProperty(metadata, 'introspection_signing_alg_values_supported')

    const instance = new DatabaseKeyStore(() => db.connection())
    const server = await useConfig({ keys: { store: 'instance', instance } })
    await server.keys.stored!.add('ES256', Date.now() + 3_600_000)
    assert.equal((await introspect(client, token, SIGNED_INTROSPECTION)).type, JSON_TYPE)
  })

  test('the metadata name the algorithms of the keys, new ones as well (§7)', async ({
    assert,
  }) => {
    const { server } = await prepare()
    const supported = async () =>
      (await json('/.well-known/oauth-authorization-server'))
        .introspection_signing_alg_values_supported
    assert.deepEqual(await supported(), ['ES256'])
    await server.keys.stored!.add('RS256', Date.now() + 3_600_000)
    await server.keys.refresh()
    assert.deepEqual(await supported(), ['ES256', 'RS256'])
  })

  test('no answer passes for an access token, and no access token for an answer (§8.1)', async ({
    assert,
  }) => {
    const { server, client, token } = await prepare()
    const { text } = await introspect(client, token, SIGNED_INTROSPECTION)
    await assert.rejects(() => server.accessTokens.verify(text))
    const again = await introspect(client, text, SIGNED_INTROSPECTION)
    assert.deepEqual(decodeJwt(again.text).token_introspection, { active: false })
    assert.notEqual(decodeProtectedHeader(token).typ, decodeProtectedHeader(text).typ)
  })

  test('who cannot authenticate gets an error in JSON, and nothing signed (§8.2)', async ({
    assert,
  }) => {
    const { client, token } = await prepare()
    const { status, type } = await introspect(client, token, SIGNED_INTROSPECTION, {
      client_secret: 'wrong',
    })
    assert.equal(status, 401)
    assert.equal(type, JSON_TYPE)
  })

  test('oauth4webapi asks for it and verifies it by the key set', async ({ assert }) => {
    const { client: registered, token } = await prepare('RS256')
    const issuer = new URL(await serverUrl())
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...HTTP })
    )
    const client: oauth.Client = {
      client_id: registered.id,
      introspection_signed_response_alg: 'RS256',
    }
    const auth = oauth.ClientSecretBasic(registered.secret!)
    const response = await oauth.introspectionRequest(server, client, auth, token, {
      requestJwtResponse: true,
      ...HTTP,
    })
    const answer = await oauth.processIntrospectionResponse(server, client, response)
    await oauth.validateApplicationLevelSignature(server, response, HTTP)
    assert.isTrue(answer.active)
  })

  test('openid-client does the same', async ({ assert }) => {
    const { client, token } = await prepare('RS256')
    const config = await openid.discovery(
      new URL(await serverUrl()),
      client.id,
      { client_secret: client.secret!, introspection_signed_response_alg: 'RS256' },
      undefined,
      {
        algorithm: 'oauth2',
        execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
      }
    )
    assert.isTrue((await openid.tokenIntrospection(config, token)).active)
  })
})
