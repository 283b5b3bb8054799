import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'

import { MemoryTokenStore } from '#kit/oauth2/tokens/memory_token_store'
import { hashSecret } from '#kit/security/secrets'
import env from '#start/env'
import {
  OTHER_RESOURCE,
  REDIRECT_URI,
  RESOURCE,
  authorizationServer,
  basic,
  createPkce,
  obtainCode,
  obtainTokens,
  opens,
  postToken,
  redemption,
  refreshing,
  registerClient,
  useConfig,
  isolate,
  granted,
} from '#starter/helpers/oauth'
import { travel } from '#starter/helpers/time'
import { signedIn } from '#starter/helpers/visitor'

const SECRET = /^[A-Za-z0-9]{43,}$/

test.group('POST /oauth/token, authorization_code', (group) => {
  group.each.setup(isolate)

  test('answers the token response, never to be cached', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const client = await registerClient()
    const grant = await obtainCode(visitor, client)
    const { status, headers, body } = await postToken(redemption(client, grant))
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('pragma'), 'no-cache')
    assert.match(headers.get('content-type')!, /^application\/json/)
    assert.sameMembers(Object.keys(body), [
      'access_token',
      'token_type',
      'expires_in',
      'scope',
      'refresh_token',
    ])
    assert.equal(body.token_type, 'Bearer')
    assert.strictEqual(body.expires_in, 3600)
    assert.equal(body.scope, 'posts:read posts:write')
    assert.match(body.refresh_token, SECRET)
    assert.isTrue(await opens(body.access_token))
    const [refresh] = await db.from('oauth_refresh_tokens')
    assert.equal(String(refresh.user_id), String(user.id))
    assert.equal(refresh.client_id, client.id)
    assert.isNotNull(refresh.family_id)
    assert.isNull(refresh.authentication)
  })

  test('the access token is a JWT of RFC 9068 that the key verifies', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const client = await registerClient()
    const { access_token: token } = await obtainTokens(visitor, client)
    const key = new TextEncoder().encode(env.get('OAUTH_KEY')!.release())
    const { payload, protectedHeader } = await jwtVerify(token, key)
    assert.deepEqual(protectedHeader, { alg: 'HS256', typ: 'at+jwt' })
    assert.sameMembers(Object.keys(payload), ['scope', 'client_id', 'sub', 'exp', 'iat', 'jti'])
    assert.equal(payload.scope, 'posts:read posts:write')
    assert.equal(payload.client_id, client.id)
    assert.strictEqual(payload.sub, String(user.id))
    assert.equal(payload.exp! - payload.iat!, 3600)
    assert.match(payload.jti!, /^[A-Za-z0-9]{22,}$/)
  })

  test('a resource becomes the aud, a configured issuer the iss', async ({ assert }) => {
    await useConfig({ issuer: 'https://id.example.com/' })
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { access_token: token } = await obtainTokens(visitor, client, { resource: RESOURCE })
    assert.equal(decodeJwt(token).aud, RESOURCE)
    assert.equal(decodeJwt(token).iss, 'https://id.example.com')
  })

  test('HS384 and HS512 sign as well', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    for (const algorithm of ['HS384', 'HS512']) {
      await useConfig({ algorithm, key: 'k'.repeat(64) })
      const { access_token: token } = await obtainTokens(visitor, client)
      assert.equal(decodeProtectedHeader(token).alg, algorithm)
      await jwtVerify(token, new TextEncoder().encode('k'.repeat(64)))
    }
  })

  test('only hashes of codes, refresh tokens and client secrets are stored', async ({ assert }) => {
    const { client, tokens } = await granted()
    const rows = JSON.stringify([
      await db.from('oauth_refresh_tokens'),
      await db.from('oauth_access_tokens'),
      await db.from('oauth_auth_codes'),
      await db.from('oauth_clients'),
    ])
    assert.include(rows, hashSecret(tokens.refresh_token))
    assert.include(rows, hashSecret(client.secret!))
    for (const secret of [tokens.refresh_token, tokens.access_token, client.secret!]) {
      assert.notInclude(rows, secret)
    }
  })

  test('a confidential client may authenticate with Basic', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const fields = redemption(client, await obtainCode(visitor, client), {
      client_id: undefined,
      client_secret: undefined,
    })
    assert.equal((await postToken(fields, basic(client.id, client.secret))).status, 200)
  })

  test('a public client sends its client_id alone', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient({ confidential: false })
    const { status, body } = await postToken(redemption(client, await obtainCode(visitor, client)))
    assert.equal(status, 200)
    assert.match(body.refresh_token, SECRET)
  })

  test('a client without the refresh grant gets no refresh token', async ({ assert }) => {
    const { visitor, tokens } = await granted({ grantTypes: ['authorization_code'] })
    assert.notProperty(tokens, 'refresh_token')
    await useConfig({ grantTypes: ['authorization_code'] })
    assert.notProperty(await obtainTokens(visitor, await registerClient()), 'refresh_token')
  })

  test('plain PKCE works where it is accepted', async ({ assert }) => {
    await useConfig({ pkceMethods: ['plain'] })
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { verifier } = createPkce()
    const { code } = await obtainCode(visitor, client, {
      code_challenge: verifier,
      code_challenge_method: 'plain',
    })
    const wrong = await postToken(redemption(client, { code, verifier: 'w'.repeat(43) }))
    assert.equal(wrong.body.error, 'invalid_grant')
    assert.equal((await postToken(redemption(client, { code, verifier }))).status, 200)
  })

  test('a code made without a challenge is redeemed without a verifier, and not with one', async ({
    assert,
  }) => {
    await useConfig({ requirePkce: false })
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { code, verifier } = await obtainCode(visitor, client, {
      code_challenge: undefined,
      code_challenge_method: undefined,
    })
    const downgraded = await postToken(redemption(client, { code, verifier }))
    assert.equal(downgraded.body.error, 'invalid_grant')
    const { status } = await postToken(
      redemption(client, { code, verifier }, { code_verifier: undefined })
    )
    assert.equal(status, 200)
  })

  test('a code made without a redirect_uri is redeemed without one, or with a registered one', async ({
    assert,
  }) => {
    await useConfig({ requireRedirectUri: false })
    const { visitor } = await signedIn()
    const client = await registerClient()
    for (const [uri, expected] of [
      [undefined, 200],
      [REDIRECT_URI, 200],
      ['https://evil.example.com', 400],
    ] as const) {
      const grant = await obtainCode(visitor, client, { redirect_uri: undefined })
      const { status } = await postToken(redemption(client, grant, { redirect_uri: uri }))
      assert.equal(status, expected)
    }
  })

  const failures: [title: string, change: Record<string, string | undefined>, error: string][] = [
    ['no code', { code: undefined }, 'invalid_request'],
    ['an empty code', { code: '' }, 'invalid_request'],
    ['an unknown code', { code: 'x'.repeat(43) }, 'invalid_grant'],
    ['no verifier', { code_verifier: undefined }, 'invalid_grant'],
    ['a short verifier', { code_verifier: 'a'.repeat(42) }, 'invalid_grant'],
    ['a long verifier', { code_verifier: 'a'.repeat(129) }, 'invalid_grant'],
    ['a malformed verifier', { code_verifier: 'ä'.repeat(43) }, 'invalid_grant'],
    ['a wrong verifier', { code_verifier: 'a'.repeat(43) }, 'invalid_grant'],
    ['no redirect_uri', { redirect_uri: undefined }, 'invalid_grant'],
    ['another redirect_uri', { redirect_uri: 'https://client.example.com/' }, 'invalid_grant'],
    ['no client_id', { client_id: undefined, client_secret: undefined }, 'invalid_client'],
    ['a secret without client_id', { client_id: undefined }, 'invalid_client'],
    ['no secret', { client_secret: undefined }, 'invalid_client'],
    ['a wrong secret', { client_secret: 'x'.repeat(43) }, 'invalid_client'],
    ['another resource', { resource: OTHER_RESOURCE }, 'invalid_target'],
    ['an unlisted resource', { resource: 'https://other.example.com' }, 'invalid_target'],
  ]
  for (const [title, change, error] of failures) {
    test(`${title}: ${error}, and the code lives on`, async ({ assert }) => {
      const { visitor } = await signedIn()
      const client = await registerClient()
      const grant = await obtainCode(visitor, client, { resource: RESOURCE })
      const fields = redemption(client, grant)
      const failed = await postToken({ ...fields, ...change })
      assert.equal(failed.status, error === 'invalid_client' ? 401 : 400)
      assert.equal(failed.body.error, error)
      assert.equal(failed.headers.get('cache-control'), 'no-store')
      assert.lengthOf(await db.from('oauth_access_tokens'), 0)
      assert.equal((await postToken(fields)).status, 200)
    })
  }

  test('the resource may be repeated, and a code without one gets none', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const bound = await obtainCode(visitor, client, { resource: RESOURCE })
    const { status } = await postToken(redemption(client, bound, { resource: RESOURCE }))
    assert.equal(status, 200)
    const unbound = await obtainCode(visitor, client)
    const { body } = await postToken(redemption(client, unbound, { resource: RESOURCE }))
    assert.equal(body.error, 'invalid_target')
  })

  test('another client’s code is invalid_grant, and lives on', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const other = await registerClient()
    const grant = await obtainCode(visitor, client)
    assert.equal((await postToken(redemption(other, grant))).body.error, 'invalid_grant')
    assert.equal((await postToken(redemption(client, grant))).status, 200)
  })

  test('a client that lost the grant is unauthorized_client', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const grant = await obtainCode(visitor, client)
    await db.from('oauth_clients').where('id', client.id).update({ grant_types: '["password"]' })
    assert.equal((await postToken(redemption(client, grant))).body.error, 'unauthorized_client')
  })

  test('a code expires at authorization_code_ttl', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const grant = await obtainCode(visitor, client)
    const [{ created_at: created, expires_at: expires }] = await db.from('oauth_auth_codes')
    assert.equal(Number(expires) - Number(created), 600_000)
    travel(600)
    assert.equal((await postToken(redemption(client, grant))).body.error, 'invalid_grant')
  })

  test('a code whose owner is gone or inactive is invalid_grant', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const client = await registerClient()
    const grant = await obtainCode(visitor, client)
    await db.from('users').where('id', user.id).update({ is_active: false })
    assert.equal((await postToken(redemption(client, grant))).body.error, 'invalid_grant')
    await db.from('users').where('id', user.id).delete()
    assert.equal((await postToken(redemption(client, grant))).body.error, 'invalid_grant')
  })

  test('a code whose owner is another provider’s user is invalid_grant', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const grant = await obtainCode(visitor, client)
    await db.from('oauth_clients').where('id', client.id).update({ provider: 'others' })
    assert.equal((await postToken(redemption(client, grant))).body.error, 'invalid_grant')
  })

  test('a code presented again revokes what it gave, the refreshed tokens too', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const grant = await obtainCode(visitor, client)
    const first = await postToken(redemption(client, grant))
    const second = await postToken(refreshing(client, first.body.refresh_token))
    assert.isTrue(await opens(second.body.access_token))

    const again = await postToken(redemption(client, grant))
    assert.equal(again.status, 400)
    assert.equal(again.body.error, 'invalid_grant')
    assert.isFalse(await opens(second.body.access_token))
    const refreshed = await postToken(refreshing(client, second.body.refresh_token))
    assert.equal(refreshed.body.error, 'invalid_grant')
  })

  test('a code presented again by one who knows less revokes nothing', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const other = await registerClient()
    const grant = await obtainCode(visitor, client)
    const { body } = await postToken(redemption(client, grant))
    for (const fields of [
      redemption(other, grant),
      redemption(client, grant, { code_verifier: 'a'.repeat(43) }),
      redemption(client, grant, { code_verifier: undefined }),
      redemption(client, grant, { redirect_uri: 'https://client.example.com/' }),
    ]) {
      assert.equal((await postToken(fields)).body.error, 'invalid_grant')
    }
    assert.equal(
      (await postToken(redemption(client, grant, { client_secret: 'wrong' }))).body.error,
      'invalid_client'
    )
    assert.isTrue(await opens(body.access_token))
  })

  test('a code that another request redeems meanwhile is used twice: what it gave is revoked', async ({
    assert,
  }) => {
    const tokens = new MemoryTokenStore()
    const redeem = tokens.redeemCode.bind(tokens)
    tokens.redeemCode = (...args) => !redeem(...args)
    const { user, visitor } = await signedIn()
    await useConfig({}, { tokens })
    const client = await registerClient()
    const { body } = await postToken(redemption(client, await obtainCode(visitor, client)))
    assert.equal(body.error, 'invalid_grant')
    const owner = { userId: String(user.id), provider: 'users' }
    const [given, ...others] = tokens.listAccessTokens(owner, { personal: false })
    assert.isNotNull(given!.revokedAt)
    assert.isEmpty(others)
  })

  test('a redeemed code is remembered while its family lives', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const grant = await obtainCode(visitor, client)
    const { body } = await postToken(redemption(client, grant))
    const server = await authorizationServer()
    travel(24 * 3600)
    await server.purge()
    assert.equal((await postToken(redemption(client, grant))).body.error, 'invalid_grant')
    const refreshed = await postToken(refreshing(client, body.refresh_token))
    assert.equal(refreshed.body.error, 'invalid_grant')
  })
})
