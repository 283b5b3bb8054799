import { createSecretKey } from 'node:crypto'

import emitter from '@adonisjs/core/services/emitter'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest, test } from '@japa/runner'
import { SignJWT, UnsecuredJWT, decodeJwt } from 'jose'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'

import type { RefusedEvent } from '#kit/auth/outcome'
import { hashSecret } from '#kit/security/secrets'
import {
  type ClientKey,
  assertion,
  asserted,
  clientKey,
  clientWithKeys,
} from '#starter/helpers/assertions'
import { DocumentServer, useTestFetcher } from '#starter/helpers/document_server'
import {
  type Fields,
  type TestClient,
  authorizationServer,
  basic,
  credentials,
  isolate,
  obtainCode,
  post,
  postToken,
  read,
  redemption,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { unencoded } from '#starter/helpers/keys'
import { limit } from '#starter/helpers/limits'
import { USED_LEEWAY, stopClock } from '#starter/helpers/time'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const GRANT = { grant_type: 'client_credentials' }
const METADATA = '/.well-known/oauth-authorization-server'
const HTTP = { [oauth.allowInsecureRequests]: true } as const

/** A server that takes assertions, and a client with a key. */
async function prepare() {
  await useConfig({ clientAssertions: true })
  const key = await clientKey()
  const client = await clientWithKeys({ jwks: [key.jwk] })
  return { key, client, id: client.id }
}

const ask = async (text: string, more: Fields = {}) =>
  postToken({ ...GRANT, ...asserted(text), ...more })

test.group('private_key_jwt', (group) => {
  group.each.setup(isolate)

  test('is off by default: an assertion is no credential, and the metadata do not name it', async ({
    assert,
  }) => {
    const key = await clientKey()
    const { id } = await clientWithKeys({ jwks: [key.jwk] })
    for (const more of [{}, { client_id: id }]) {
      const { status, body } = await ask(await assertion(id, key), more)
      assert.equal(status, 401)
      assert.equal(body.error, 'invalid_client')
    }
    const { body } = await read(await new Visitor().get(METADATA))
    assert.notInclude(body.token_endpoint_auth_methods_supported, 'private_key_jwt')
    assert.notProperty(body, 'token_endpoint_auth_signing_alg_values_supported')
  })

  test('works at token, introspection and revocation, with and without client_id', async ({
    assert,
  }) => {
    const { key, id } = await prepare()
    for (const [path, fields] of [
      ['/oauth/token', GRANT],
      ['/oauth/introspect', { token: 'x' }],
      ['/oauth/revoke', { token: 'x' }],
    ] as const) {
      for (const more of [{}, { client_id: id }]) {
        const form = { ...fields, ...more, ...asserted(await assertion(id, key)) }
        assert.equal((await post(path, form)).status, 200)
      }
    }
  })

  test('the metadata name it and its algorithms for each of these endpoints (RFC 8414 §2)', async ({
    assert,
  }) => {
    await prepare()
    const { body } = await read(await new Visitor().get(METADATA))
    for (const endpoint of ['token', 'introspection', 'revocation']) {
      assert.include(body[`${endpoint}_endpoint_auth_methods_supported`], 'private_key_jwt')
      const algorithms = body[`${endpoint}_endpoint_auth_signing_alg_values_supported`]
      assert.includeMembers(algorithms, ['ES256', 'RS256', 'EdDSA'])
      assert.isEmpty(algorithms.filter((name: string) => /^(HS|none)/.test(name)))
    }
  })

  test('issuer, token endpoint and that of pushed requests are audiences, also in a list (RFC 7523 §3, 3, RFC 9126 §2)', async ({
    assert,
  }) => {
    const { key, id } = await prepare()
    const url = await serverUrl()
    const endpoints = [`${url}/oauth/token`, `${url}/oauth/par`]
    for (const aud of [url, ...endpoints, [url], [url, ...endpoints]]) {
      assert.equal((await ask(await assertion(id, key, { aud }))).status, 200)
    }
  })

  const now = () => Date.now() / 1000
  const WRONG: [title: string, change: () => Record<string, unknown>][] = [
    ['iss of another client (§3, 1)', () => ({ iss: 'somebody' })],
    ['no iss (§3, 1)', () => ({ iss: undefined })],
    ['no aud (§3, 3)', () => ({ aud: undefined })],
    ['an empty list of audiences (§3, 3)', () => ({ aud: [] })],
    ['another server as audience (§3, 3)', () => ({ aud: 'https://other.example' })],
    ['an audience that is an object (§3, 3)', () => ({ aud: { a: 1 } })],
    ['no exp (§3, 4)', () => ({ exp: undefined })],
    ['an exp that is past (§3, 4)', () => ({ exp: now() - 1 })],
    ['an exp that is a text (§3, 4)', () => ({ exp: String(now() + 60) })],
    ['an exp in the far future (§3, 4)', () => ({ exp: now() + 2 * 3600 })],
    ['an nbf in the future (§3, 5)', () => ({ nbf: now() + 3600 })],
    ['an iat in the future (§3, 6)', () => ({ iat: now() + 3600 })],
    ['no jti (§3, 7)', () => ({ jti: undefined })],
    ['an empty jti (§3, 7)', () => ({ jti: '' })],
    ['a jti that is a number (§3, 7)', () => ({ jti: 7 })],
    ['a jti of a thousand characters (§3, 7)', () => ({ jti: 'x'.repeat(1000) })],
  ]
  for (const [title, change] of WRONG) {
    test(`RFC 7523: refuses ${title}`, async ({ assert }) => {
      const { key, id } = await prepare()
      const reasons: string[] = []
      const stop = emitter.on('oauth2:refused', ({ reason }) => void reasons.push(reason))
      const claims = change()
      const { status, body } = await ask(await assertion(id, key, claims))
      stop()
      assert.equal(status, 401)
      assert.equal(body.error, 'invalid_client')
      const [claim] = Object.keys(claims)
      assert.deepEqual(reasons, [`claim ${claim} of the client_assertion missing or wrong`])
    })
  }

  test(
    'the clock of a client may be a minute ahead, and an assertion lives an hour at most: {claim}'
  )
    .with([
      { claim: 'exp', most: 3600 + 60 },
      { claim: 'nbf', most: 60 },
      { claim: 'iat', most: 60 },
    ])
    .run(async ({ assert }, { claim, most }) => {
      stopClock()
      const { key, id } = await prepare()
      const latest = Math.floor(now()) + most
      assert.equal((await ask(await assertion(id, key, { [claim]: latest }))).status, 200)
      assert.equal((await ask(await assertion(id, key, { [claim]: latest + 1 }))).status, 401)
    })

  test('a jti has 255 characters at most', async ({ assert }) => {
    const { key, id } = await prepare()
    assert.equal((await ask(await assertion(id, key, { jti: 'x'.repeat(255) }))).status, 200)
    assert.equal((await ask(await assertion(id, key, { jti: 'x'.repeat(256) }))).status, 401)
  })

  test('an assertion whose payload is not encoded is refused (RFC 7797 §7)', async ({ assert }) => {
    const { key, id } = await prepare()
    const text = await assertion(id, key)
    assert.equal((await ask(await unencoded(text, key.privateKey))).status, 401)
    assert.equal((await ask(text)).status, 200)
  })

  test('an audience beside this server is refused: it could present the assertion here', async ({
    assert,
  }) => {
    const { key, id } = await prepare()
    const aud = [await serverUrl(), 'https://attacker.example']
    assert.equal((await ask(await assertion(id, key, { aud }))).status, 401)
  })

  test('the subject is the client: another client_id beside it is refused (RFC 7521 §4.2)', async ({
    assert,
  }) => {
    const { key, id } = await prepare()
    const other = await clientWithKeys({ jwks: [(await clientKey()).jwk] })
    assert.equal((await ask(await assertion(id, key), { client_id: other.id })).status, 401)
    assert.equal((await ask(await assertion(id, key, { sub: other.id }))).status, 401)
    assert.equal((await ask(await assertion(other.id, key))).status, 401)
  })

  test('a second way to authenticate beside it is invalid_request (RFC 6749 §2.3)', async ({
    assert,
  }) => {
    const { key, id } = await prepare()
    const text = await assertion(id, key)
    const inForm = await ask(text, { client_secret: 'secret' })
    const inHeader = await postToken({ ...GRANT, ...asserted(text) }, basic(id, 'secret'))
    for (const { status, body } of [inForm, inHeader]) {
      assert.equal(status, 400)
      assert.equal(body.error, 'invalid_request')
    }
  })

  test('another assertion type, a missing one, and a text that is no JWT are refused', async ({
    assert,
  }) => {
    const { key, id } = await prepare()
    const text = await assertion(id, key)
    const type = 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer'
    for (const fields of [
      { client_assertion: text },
      { client_assertion: text, client_assertion_type: type },
      { client_id: id, client_assertion_type: asserted(text).client_assertion_type },
      asserted('no JWT'),
      asserted('a.b.c'),
      asserted(`${text}.x`),
      asserted(text.replace(/^[^.]+/, 'no header')),
    ]) {
      const { status, body } = await postToken({ ...GRANT, ...fields })
      assert.equal(status, 401)
      assert.equal(body.error, 'invalid_client')
    }
    assert.equal((await ask(text)).status, 200)
  })

  test('a client with keys has no secret, and one with a secret no assertion', async ({
    assert,
  }) => {
    const { key, id } = await prepare()
    for (const secret of ['', 'x', id]) {
      assert.equal((await postToken(GRANT, basic(id, secret))).status, 401)
    }
    assert.equal((await postToken({ ...GRANT, client_id: id })).status, 401)
    const registered = await registerClient()
    assert.equal((await ask(await assertion(registered.id, key))).status, 401)
    const publicClient = await registerClient({ confidential: false })
    assert.equal((await ask(await assertion(publicClient.id, key))).status, 401)
  })

  test('unknown, revoked and wrongly signed give one answer', async ({ assert }) => {
    const { key, id, client } = await prepare()
    const server = await useConfig({ clientAssertions: true })
    const answers = [
      await ask(await assertion('unknown', key)),
      await ask(await assertion(id, await clientKey('ES256', key.kid))),
    ]
    await server.clients.revoke(client.id)
    answers.push(await ask(await assertion(id, key)))
    for (const { status, body, headers } of answers) {
      assert.equal(status, 401)
      assert.deepEqual(body, answers[0]!.body)
      assert.match(headers.get('www-authenticate')!, /^Basic/)
    }
  })

  test('half of an assertion makes nobody a public client (RFC 7521 §4.2)', async ({ assert }) => {
    await prepare()
    const { id } = await registerClient({ confidential: false })
    for (const half of [{ client_assertion: 'x' }, { client_assertion_type: 'x' }]) {
      const { status, body } = await post('/oauth/revoke', { token: 'x', client_id: id, ...half })
      assert.equal(status, 401)
      assert.equal(body.error, 'invalid_client')
    }
    assert.equal((await post('/oauth/revoke', { token: 'x', client_id: id })).status, 200)
  })

  test('operators are told the reason, callers are not', async ({ assert }) => {
    const { key, id } = await prepare()
    const events: RefusedEvent[] = []
    const stop = emitter.on('oauth2:refused', (event) => void events.push(event))
    getActiveTest()!.cleanup(() => stop())
    const other = await registerClient()
    const away = await clientWithKeys({ jwks: null, jwksUri: 'https://nowhere.invalid/jwks' })
    useTestFetcher({ resolve: async () => [] })
    const used = await assertion(id, key)
    await ask(used)
    const refused: [reason: string, request: () => Promise<{ body: any }>][] = [
      ['client_assertion missing', () => postToken({ ...GRANT, client_id: id })],
      ['client_assertion missing', () => postToken(GRANT, basic(id, 'secret'))],
      ['client_assertion used before', () => ask(used)],
      [
        'client_assertion from a client without keys',
        async () => ask(await assertion(other.id, key)),
      ],
      [
        'client_assertion not signed by a key of the client',
        async () => ask(await assertion(id, await clientKey())),
      ],
      [
        'claim aud of the client_assertion missing or wrong',
        async () => ask(await assertion(id, key, { aud: 'x' })),
      ],
      ['keys of the client not fetched', async () => ask(await assertion(away.id, key))],
      ['client unknown', async () => ask(await assertion('unknown', key))],
      [
        'client revoked',
        async () => {
          await (await authorizationServer()).clients.revoke(away.id)
          return ask(await assertion(away.id, key))
        },
      ],
    ]
    for (const [reason, request] of refused) {
      const { body } = await request()
      assert.equal(events.at(-1)!.reason, reason)
      assert.equal(body.error_description, 'Client authentication failed.')
    }
  })

  test('failures are counted', async ({ assert }) => {
    const { id } = await prepare()
    await limit({
      failedClientAuthentications: { perSubjectAndAddress: { attempts: 2, seconds: 60 } },
    })
    const stranger = await clientKey()
    for (const status of [401, 401, 429]) {
      assert.equal((await ask(await assertion(id, stranger))).status, status)
    }
  })
})

test.group('private_key_jwt | signatures', (group) => {
  group.each.setup(isolate)

  for (const algorithm of ['RS256', 'PS256', 'ES384', 'EdDSA']) {
    test(`${algorithm} is accepted`, async ({ assert }) => {
      await useConfig({ clientAssertions: true })
      const key = await clientKey(algorithm)
      const { id } = await clientWithKeys({ jwks: [key.jwk] })
      assert.equal((await ask(await assertion(id, key))).status, 200)
    })
  }

  test('without "kid" every key that fits is tried', async ({ assert }) => {
    await useConfig({ clientAssertions: true })
    const keys = [await clientKey(), await clientKey(), await clientKey('RS256')]
    const { id } = await clientWithKeys({ jwks: keys.map(({ jwk }) => jwk) })
    for (const key of keys) {
      const text = await assertion(id, key, {}, { kid: undefined })
      assert.equal((await ask(text)).status, 200)
    }
  })

  test('a key that names its algorithm is for that one alone (RFC 7517 §4.4)', async ({
    assert,
  }) => {
    await useConfig({ clientAssertions: true })
    const key = await clientKey('RS256')
    for (const [alg, status] of [
      ['RS256', 200],
      ['PS256', 401],
    ] as const) {
      const { id } = await clientWithKeys({ jwks: [{ ...key.jwk, alg }] })
      assert.equal((await ask(await assertion(id, key))).status, status)
    }
  })

  test('no algorithm is confused with another: none, HMAC with the public key (RFC 8725 §2.1)', async ({
    assert,
  }) => {
    await useConfig({ clientAssertions: true })
    const key = await clientKey('RS256')
    const { id } = await clientWithKeys({ jwks: [key.jwk] })
    const claims = {
      iss: id,
      sub: id,
      aud: await serverUrl(),
      jti: 'x',
      exp: Date.now() / 1000 + 60,
    }
    const forged = [new UnsecuredJWT(claims).encode()]
    for (const secret of [JSON.stringify(key.jwk), (key.jwk as { n: string }).n, 'x'.repeat(64)]) {
      for (const kid of [key.kid, undefined]) {
        forged.push(
          await new SignJWT(claims)
            .setProtectedHeader({ alg: 'HS256', ...(kid && { kid }) })
            .sign(createSecretKey(Buffer.from(secret)))
        )
      }
    }
    for (const text of forged) {
      assert.equal((await ask(text)).status, 401)
    }
  })

  test('a key in the assertion is not used, and a token of another type is none (RFC 8725 §3.10, §3.11)', async ({
    assert,
  }) => {
    const { key, id } = await prepare()
    const own = await clientKey()
    const { jwk } = own
    for (const header of [{ jwk }, { jwk, kid: key.kid }, { jku: 'https://attacker.example/' }]) {
      assert.equal((await ask(await assertion(id, own, {}, header))).status, 401)
    }
    for (const typ of ['at+jwt', 'dpop+jwt', 'logout+jwt']) {
      assert.equal((await ask(await assertion(id, key, {}, { typ }))).status, 401)
    }
    for (const typ of ['JWT', 'client-authentication+jwt']) {
      assert.equal((await ask(await assertion(id, key, {}, { typ }))).status, 200)
    }
  })
})

test.group('private_key_jwt | replay', (group) => {
  group.each.setup(isolate)

  test('an assertion works once, whatever the endpoint (RFC 7523 §3, 7)', async ({ assert }) => {
    const { key, id } = await prepare()
    const text = await assertion(id, key)
    assert.equal((await ask(text)).status, 200)
    const { jti, exp } = decodeJwt(text)
    const [used] = await db.from('used_once')
    assert.equal(used.digest, hashSecret(`client_assertion ${id} ${jti}`))
    assert.equal(Number(used.expires_at), exp! * 1000 + USED_LEEWAY)
    assert.equal((await ask(text)).status, 401)
    const form = { token: 'x', ...asserted(text) }
    assert.equal((await post('/oauth/introspect', form)).status, 401)
  })

  test('another assertion with the same jti is a replay, that of another client is not', async ({
    assert,
  }) => {
    const { key, id } = await prepare()
    const other = await clientWithKeys({ jwks: [key.jwk] })
    assert.equal((await ask(await assertion(id, key, { jti: 'one' }))).status, 200)
    assert.equal((await ask(await assertion(id, key, { jti: 'one', nbf: 1 }))).status, 401)
    assert.equal((await ask(await assertion(other.id, key, { jti: 'one' }))).status, 200)
  })

  test('a stranger cannot use up the jti of a client', async ({ assert }) => {
    const { key, id } = await prepare()
    const stranger: ClientKey = await clientKey('ES256', key.kid)
    assert.equal((await ask(await assertion(id, stranger, { jti: 'next' }))).status, 401)
    assert.equal((await ask(await assertion(id, key, { jti: 'next' }))).status, 200)
  })
})

test.group('private_key_jwt | keys behind a URL', (group) => {
  const site = new DocumentServer()
  group.each.setup(isolate)
  group.each.setup(() => site.start())

  const serve = (...keys: ClientKey[]) =>
    site.serve('/jwks', JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }), {
      'content-type': 'application/jwk-set+json',
    })

  test('are fetched once, and again for an unknown kid after a minute', async ({ assert }) => {
    useTestFetcher()
    await useConfig({ clientAssertions: true })
    const advance = stopClock()
    const [first, second] = [await clientKey(), await clientKey()]
    const { id } = await clientWithKeys({ jwks: null, jwksUri: serve(first) })
    assert.equal((await ask(await assertion(id, first))).status, 200)
    assert.equal((await ask(await assertion(id, first))).status, 200)
    assert.lengthOf(site.requests, 1)
    serve(first, second)
    assert.equal((await ask(await assertion(id, second))).status, 401)
    assert.lengthOf(site.requests, 1)
    advance(60)
    assert.equal((await ask(await assertion(id, second))).status, 200)
    assert.lengthOf(site.requests, 2)
  })

  test('a key that the client took out is refused when the copy has aged', async ({ assert }) => {
    useTestFetcher()
    await useConfig({ clientAssertions: true })
    const advance = stopClock()
    const [first, second] = [await clientKey(), await clientKey()]
    const { id } = await clientWithKeys({ jwks: null, jwksUri: serve(first) })
    assert.equal((await ask(await assertion(id, first))).status, 200)
    serve(second)
    advance(300)
    assert.equal((await ask(await assertion(id, first))).status, 401)
    assert.equal((await ask(await assertion(id, second))).status, 200)
  })

  test('a failure is remembered for five seconds, and refuses the client', async ({ assert }) => {
    useTestFetcher()
    await useConfig({ clientAssertions: true })
    const advance = stopClock()
    const key = await clientKey()
    const url = site.serve('/jwks', 'not JSON')
    const { id } = await clientWithKeys({ jwks: null, jwksUri: url })
    assert.equal((await ask(await assertion(id, key))).status, 401)
    serve(key)
    assert.equal((await ask(await assertion(id, key))).status, 401)
    assert.lengthOf(site.requests, 1)
    advance(5)
    assert.equal((await ask(await assertion(id, key))).status, 200)
  })

  test('the fetch is guarded: an address that is not public is not asked', async ({ assert }) => {
    useTestFetcher({ isAllowed: () => false })
    await useConfig({ clientAssertions: true })
    const key = await clientKey()
    const { id } = await clientWithKeys({ jwks: null, jwksUri: serve(key) })
    assert.equal((await ask(await assertion(id, key))).status, 401)
    assert.isEmpty(site.requests)
  })

  test('fetches are limited for all clients together: 503 with the seconds to wait', async ({
    assert,
  }) => {
    useTestFetcher()
    await useConfig({ clientAssertions: true, clientDocuments: { fetchesPerMinute: 1 } })
    const key = await clientKey()
    const one = await clientWithKeys({ jwks: null, jwksUri: serve(key) })
    const two = await clientWithKeys({ jwks: null, jwksUri: site.url('/other') })
    assert.equal((await ask(await assertion(one.id, key))).status, 200)
    const { status, headers } = await ask(await assertion(two.id, key))
    assert.equal(status, 503)
    assert.isAbove(Number(headers.get('retry-after')), 0)
  })
})

test.group('private_key_jwt | clients of other makers', (group) => {
  group.each.setup(isolate)

  test('oauth4webapi authenticates by it', async ({ assert }) => {
    const { key, id } = await prepare()
    const issuer = new URL(await serverUrl())
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...HTTP })
    )
    const client = { client_id: id }
    const auth = oauth.PrivateKeyJwt({ key: key.privateKey, kid: key.kid })
    const response = await oauth.clientCredentialsGrantRequest(server, client, auth, {}, HTTP)
    const { access_token: token } = await oauth.processClientCredentialsResponse(
      server,
      client,
      response
    )
    const introspected = await oauth.processIntrospectionResponse(
      server,
      client,
      await oauth.introspectionRequest(server, client, auth, token, HTTP)
    )
    assert.isTrue(introspected.active)
  })

  test('openid-client authenticates by it', async ({ assert }) => {
    const { key, id } = await prepare()
    const config = await openid.discovery(
      new URL(await serverUrl()),
      id,
      undefined,
      openid.PrivateKeyJwt({ key: key.privateKey, kid: key.kid }),
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] }
    )
    const { access_token: token } = await openid.clientCredentialsGrant(config)
    assert.isTrue((await openid.tokenIntrospection(config, token)).active)
  })

  test('clients with a secret go on as before', async ({ assert }) => {
    await prepare()
    const client = await registerClient()
    assert.equal((await postToken({ ...GRANT, ...credentials(client) })).status, 200)
    assert.equal((await postToken(GRANT, basic(client.id, client.secret))).status, 200)
  })
})

test.group('private_key_jwt | registration', (group) => {
  group.each.setup(isolate)

  const register = async (json: unknown) =>
    read(await new Visitor().post('/oauth/register', { json }))

  const METADATA_OF = {
    redirect_uris: ['https://client.example.com/callback'],
    token_endpoint_auth_method: 'private_key_jwt',
  }

  test('a client registers itself with its keys, and gets no secret (RFC 7591 §2)', async ({
    assert,
  }) => {
    await useConfig({ clientAssertions: true, dynamicRegistration: true })
    const key = await clientKey()
    const { status, body } = await register({ ...METADATA_OF, jwks: { keys: [key.jwk] } })
    assert.equal(status, 201)
    assert.notProperty(body, 'client_secret')
    assert.equal(body.token_endpoint_auth_method, 'private_key_jwt')
    assert.deepEqual(body.jwks, { keys: [key.jwk] })
    const form = { token: 'x', ...asserted(await assertion(body.client_id, key)) }
    assert.equal((await post('/oauth/introspect', form)).status, 200)

    const jwksUri = 'https://client.example.com/jwks?v=1'
    const second = await register({ ...METADATA_OF, jwks_uri: jwksUri })
    assert.equal(second.body.jwks_uri, jwksUri)
  })

  test('keys that are none are refused: {title}')
    .with([
      { title: 'neither keys nor URL', keys: {} },
      { title: 'both', keys: { jwks: { keys: [{ kty: 'EC' }] }, jwks_uri: 'https://a.example/' } },
      { title: 'an empty set', keys: { jwks: { keys: [] } } },
      { title: 'a list', keys: { jwks: [{ kty: 'EC' }] } },
      { title: 'a private key', keys: { jwks: { keys: [{ kty: 'EC', d: 'x' }] } } },
      { title: 'a shared secret', keys: { jwks: { keys: [{ kty: 'oct', k: 'x' }] } } },
      { title: 'a key for encryption', keys: { jwks: { keys: [{ kty: 'EC', use: 'enc' }] } } },
      { title: 'a key for HMAC', keys: { jwks: { keys: [{ kty: 'RSA', alg: 'HS256' }] } } },
      { title: 'too many', keys: { jwks: { keys: Array(21).fill({ kty: 'EC' }) } } },
      { title: 'http', keys: { jwks_uri: 'http://a.example/jwks' } },
      { title: 'an address', keys: { jwks_uri: 'https://127.0.0.1/jwks' } },
      { title: 'a user', keys: { jwks_uri: 'https://me@a.example/jwks' } },
      { title: 'a fragment', keys: { jwks_uri: 'https://a.example/jwks#x' } },
      { title: 'a number', keys: { jwks_uri: 7 } },
    ])
    .run(async ({ assert }, { keys }) => {
      await useConfig({ clientAssertions: true, dynamicRegistration: true })
      const { status, body } = await register({ ...METADATA_OF, ...keys })
      assert.equal(status, 400)
      assert.equal(body.error, 'invalid_client_metadata')
    })

  test('20 keys are not too many', async ({ assert }) => {
    await useConfig({ clientAssertions: true, dynamicRegistration: true })
    const jwks = { keys: Array(20).fill({ kty: 'EC', use: 'sig', alg: 'ES256' }) }
    const { status, body } = await register({ ...METADATA_OF, jwks })
    assert.equal(status, 201)
    assert.deepEqual(body.jwks, jwks)
  })

  test('is refused while it is off', async ({ assert }) => {
    await useConfig({ dynamicRegistration: true })
    const { status, body } = await register({ ...METADATA_OF, jwks: { keys: [] } })
    assert.equal(status, 400)
    assert.notInclude(body.error_description, 'private_key_jwt')
  })
})

test.group('private_key_jwt | clients with a metadata document', (group) => {
  const site = new DocumentServer()
  group.each.setup(isolate)
  group.each.setup(() => site.start())

  const CALLBACK = 'https://agent.example.com/callback'

  /** Approves the client, and redeems the code with these fields. */
  async function connect(id: string, authentication: () => Promise<Fields>) {
    const { visitor } = await signedIn()
    const client = { id, secret: null } as TestClient
    const code = await obtainCode(visitor, client, { redirect_uri: CALLBACK })
    const form = redemption(client, code, { redirect_uri: CALLBACK, ...(await authentication()) })
    return postToken(form)
  }

  test('authenticate by the keys that the document names', async ({ assert }) => {
    useTestFetcher()
    await useConfig({ clientAssertions: true })
    const key = await clientKey()
    const method = { token_endpoint_auth_method: 'private_key_jwt' }
    const inside = site.serveClient('/inside', { ...method, jwks: { keys: [key.jwk] } })
    site.serve('/jwks', JSON.stringify({ keys: [key.jwk] }))
    const behind = site.serveClient('/behind', { ...method, jwks_uri: site.url('/jwks') })
    for (const id of [inside, behind]) {
      assert.equal((await connect(id, async () => asserted(await assertion(id, key)))).status, 200)
      assert.equal((await connect(id, async () => ({}))).status, 401)
    }
  })

  test('are refused with it while it is off, as before', async ({ assert }) => {
    useTestFetcher()
    await useConfig({})
    const key = await clientKey()
    const id = site.serveClient('/client', {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [key.jwk] },
    })
    await assert.rejects(
      () => connect(id, async () => ({})),
      /The token_endpoint_auth_method must be none\./
    )
  })
})
