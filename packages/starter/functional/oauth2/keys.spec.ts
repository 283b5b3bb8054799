import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'

import { DatabaseKeyStore } from '#kit/oauth2/keys/key_store'
import {
  type TestClient,
  credentials,
  isolate,
  obtainTokens,
  post,
  postToken,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { serverUrl } from '#starter/helpers/server_url'
import { stopTimer } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const JWKS = '/.well-known/jwks.json'
const METADATA = '/.well-known/oauth-authorization-server'

const json = async (path: string) => (await new Visitor().get(path)).json() as Promise<any>

const instance = () => new DatabaseKeyStore(() => db.connection())

/** The server of this process with a set of keys in the database, the first of which signs. */
async function useKeys(algorithm = 'ES256') {
  const server = await useConfig({ keys: { store: 'instance', instance: instance() } })
  const kid = await server.keys.stored!.add(algorithm, Date.now())
  await server.keys.refresh()
  return { server, kid }
}

/** Whether the server accepts an access token. */
async function isActive(token: string, client: TestClient): Promise<boolean> {
  return (await post('/oauth/introspect', { token, ...credentials(client) })).body.active
}

test.group('GET /.well-known/jwks.json', (group) => {
  group.each.setup(isolate)

  test('is not there while the setting is off, and the metadata do not name it', async ({
    assert,
  }) => {
    const response = await new Visitor().get(JWKS)
    assert.equal(response.status, 404)
    assert.notProperty(await json(METADATA), 'jwks_uri')
  })

  test('answers the public keys, to pages of every origin, for half the time before a key signs', async ({
    assert,
  }) => {
    const { kid } = await useKeys()
    const response = await new Visitor().get(JWKS, { headers: { origin: 'https://spa.example' } })
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type')!, /^application\/jwk-set\+json/)
    assert.equal(response.headers.get('cache-control'), 'public, max-age=1800')
    assert.equal(response.headers.get('access-control-allow-origin'), '*')
    assert.isNull(response.headers.get('set-cookie'))
    const { keys } = (await response.json()) as any
    assert.lengthOf(keys, 1)
    assert.sameMembers(Object.keys(keys[0]), ['kty', 'crv', 'x', 'y', 'kid', 'alg', 'use'])
    assert.equal(keys[0].kid, kid)
  })

  test('the metadata name it, below an issuer with a path as well (RFC 8414 §2)', async ({
    assert,
  }) => {
    await useKeys()
    assert.equal((await json(METADATA)).jwks_uri, await serverUrl(JWKS))
    await useConfig({ keys: { store: 'memory' }, issuer: 'https://id.example.com/tenant' })
    assert.equal(
      (await json(METADATA)).jwks_uri,
      'https://id.example.com/tenant/.well-known/jwks.json'
    )
  })

  test('has a key from when it is stored, long before it signs', async ({ assert }) => {
    const { server, kid } = await useKeys()
    const next = await server.keys.stored!.add('EdDSA', Date.now() + 3_600_000)
    await server.keys.refresh()
    const { keys } = await json(JWKS)
    assert.sameMembers(
      keys.map((key: any) => key.kid),
      [kid, next]
    )
    const client = await registerClient()
    const { body } = await postToken({ grant_type: 'client_credentials', ...credentials(client) })
    assert.equal(decodeProtectedHeader(body.access_token).kid, kid)
  })
})

test.group('Access tokens of a set of keys', (group) => {
  group.each.setup(isolate)

  for (const algorithm of ['ES256', 'RS256', 'EdDSA']) {
    test(`${algorithm}: tokens of a user and of a client name their key, and can be verified by it`, async ({
      assert,
    }) => {
      const { kid } = await useKeys(algorithm)
      const client = await registerClient()
      const { visitor } = await signedIn()
      const { access_token: token } = await obtainTokens(visitor, client)
      assert.isTrue(await isActive(token, client))
      const { protectedHeader, payload } = await jwtVerify(
        token,
        createLocalJWKSet(await json(JWKS)),
        { typ: 'at+jwt', algorithms: [algorithm] }
      )
      assert.deepEqual(protectedHeader, { typ: 'at+jwt', kid, alg: algorithm })
      assert.equal(payload.client_id, client.id)
    })
  }

  test('those of the secret go on while the set signs, and the other way round', async ({
    assert,
  }) => {
    const client = await registerClient()
    const { visitor } = await signedIn()
    const { access_token: old } = await obtainTokens(visitor, client)
    assert.deepEqual(decodeProtectedHeader(old), { typ: 'at+jwt', alg: 'HS256' })
    await useKeys()
    const { access_token: token } = await obtainTokens(visitor, client)
    assert.isTrue(await isActive(old, client))
    assert.isTrue(await isActive(token, client))
  })

  test('those of a key that was taken out are not accepted a minute later, though they were before', async ({
    assert,
  }) => {
    const advance = stopTimer()
    const { kid } = await useKeys()
    const client = await registerClient()
    const { visitor } = await signedIn()
    const { access_token: token } = await obtainTokens(visitor, client)
    assert.isTrue(await isActive(token, client))
    await instance().delete(kid)
    advance(60_000)
    assert.isFalse(await isActive(token, client))
  })
})
