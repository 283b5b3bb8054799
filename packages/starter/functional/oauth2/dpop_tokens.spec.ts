import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { decideDevice, beginDevice } from '#starter/helpers/device'
import { DEVICE_CODE } from '#kit/oauth2/settings'
import { createKey, createProof, obtainBound, postWithProof, useDpop } from '#starter/helpers/dpop'
import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import {
  ALL_GRANTS,
  authorize,
  createPkce,
  credentials,
  isolate,
  obtainCode,
  obtainTokens,
  opens,
  post,
  postToken,
  redemption,
  refreshing,
  registerClient,
  granted,
} from '#starter/helpers/oauth'
import { openPushed, push } from '#starter/helpers/par'
import { decide } from '#starter/helpers/consent'
import { recordStatements } from '#starter/helpers/statements'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const METADATA = '/.well-known/oauth-authorization-server'

test.group('Tokens that are bound to a key (RFC 9449)', (group) => {
  group.each.setup(isolate)

  test('a proof means nothing unless DPoP is turned on', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { body } = await obtainBound(visitor, client, await createKey(), { dpop_jkt: 'x' })
    assert.equal(body.token_type, 'Bearer')
    assert.notProperty(decodeJwt(body.access_token), 'cnf')
    const metadata: any = await (await new Visitor().get(METADATA)).json()
    assert.notProperty(metadata, 'dpop_signing_alg_values_supported')
  })

  test('§5.1: the metadata name the algorithms of proofs, asymmetric ones alone', async ({
    assert,
  }) => {
    await useDpop({}, {})
    const metadata: any = await (await new Visitor().get(METADATA)).json()
    const algorithms = ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256']
    assert.deepEqual(metadata.dpop_signing_alg_values_supported, algorithms)
  })

  test('§5, §6.1: a code with a proof gives a token with cnf.jkt, in the token, the row and introspection', async ({
    assert,
  }) => {
    await useDpop()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const key = await createKey()
    const { status, body } = await obtainBound(visitor, client, key)
    assert.equal(status, 200)
    assert.equal(body.token_type, 'DPoP')
    const claims = decodeJwt(body.access_token)
    assert.deepEqual(claims.cnf, { jkt: key.jkt })
    const [row] = await db.from('oauth_access_tokens').where('jti', claims.jti!)
    assert.equal(row.dpop_jkt, key.jkt)
    const introspected = await post('/oauth/introspect', {
      token: body.access_token,
      ...credentials(client),
    })
    assert.deepEqual(introspected.body.cnf, { jkt: key.jkt })
    assert.equal(introspected.body.token_type, 'DPoP')
  })

  for (const alg of ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256']) {
    test(`keys of ${alg} can be used`, async ({ assert }) => {
      await useDpop()
      const { visitor } = await signedIn()
      const { body } = await obtainBound(visitor, await registerClient(), await createKey(alg))
      assert.equal(body.token_type, 'DPoP')
    })
  }

  test('without a proof nothing is bound, and nothing is written for it', async ({ assert }) => {
    await useDpop({ nonce: true })
    const { tokens } = await granted()
    assert.notProperty(decodeJwt(tokens.access_token), 'cnf')
    assert.lengthOf(await db.from('used_once'), 0)
  })

  test('requests without a proof make the same statements, whether DPoP is on or off', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { access_token: token } = await obtainTokens(visitor, client)
    const fields = { grant_type: 'client_credentials', ...credentials(client) }
    const statements = async () => [
      (await recordStatements(() => opens(token))).length,
      (await recordStatements(() => postToken(fields))).length,
    ]
    await statements()
    const before = await statements()
    await useDpop({ nonce: true })
    assert.deepEqual(await statements(), before)
  })

  test('every grant binds its tokens', async ({ assert }) => {
    const grantTypes = [...ALL_GRANTS, DEVICE_CODE]
    await useDpop({}, { grantTypes })
    const { visitor, user } = await signedIn()
    const client = await registerClient()
    const key = await createKey()
    const device = await beginDevice(client)
    await decideDevice(visitor, device.user_code)
    const requests = [
      { grant_type: 'client_credentials' },
      { grant_type: 'password', username: user.email, password: FACTORY_PASSWORD },
      { grant_type: DEVICE_CODE, device_code: device.device_code },
    ]
    for (const fields of requests) {
      const proof = await createProof(key)
      const { body } = await postWithProof({ ...fields, ...credentials(client) }, proof)
      assert.equal(body.token_type, 'DPoP', fields.grant_type)
      assert.deepEqual(decodeJwt(body.access_token).cnf, { jkt: key.jkt })
    }
  })

  test('§5: the refresh token of a public client is good with its key alone, and a refusal leaves it', async ({
    assert,
  }) => {
    await useDpop()
    const { visitor } = await signedIn()
    const client = await registerClient({ confidential: false })
    const key = await createKey()
    const { body } = await obtainBound(visitor, client, key)
    const fields = refreshing(client, body.refresh_token)
    const other = await createKey()
    assert.equal((await postToken(fields)).body.error, 'invalid_grant')
    const stolen = await postWithProof(fields, await createProof(other))
    assert.equal(stolen.body.error, 'invalid_grant')
    const refreshed = await postWithProof(fields, await createProof(key))
    assert.equal(refreshed.body.token_type, 'DPoP')
    const again = refreshing(client, refreshed.body.refresh_token)
    assert.equal((await postToken(again)).body.error, 'invalid_grant')
  })

  test('§5: the refresh token of a confidential client is not bound: its client may change the key', async ({
    assert,
  }) => {
    await useDpop()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { body } = await obtainBound(visitor, client, await createKey())
    const next = await createKey()
    const refreshed = await postWithProof(
      refreshing(client, body.refresh_token),
      await createProof(next)
    )
    assert.deepEqual(decodeJwt(refreshed.body.access_token).cnf, { jkt: next.jkt })
  })

  test('a bound refresh token introspects with its key', async ({ assert }) => {
    await useDpop()
    const { visitor } = await signedIn()
    const client = await registerClient({ confidential: false })
    const key = await createKey()
    const { body } = await obtainBound(visitor, client, key)
    const introspected = await post('/oauth/introspect', {
      token: body.refresh_token,
      ...credentials(await registerClient()),
    })
    assert.deepEqual(introspected.body.cnf, { jkt: key.jkt })
  })

  test('§10: a code that was asked for with dpop_jkt is redeemed with that key alone', async ({
    assert,
  }) => {
    await useDpop()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const key = await createKey()
    const fields = redemption(client, await obtainCode(visitor, client, { dpop_jkt: key.jkt }))
    assert.equal((await postToken(fields)).body.error, 'invalid_grant')
    const stolen = await postWithProof(fields, await createProof(await createKey()))
    assert.equal(stolen.body.error, 'invalid_grant')
    const redeemed = await postWithProof(fields, await createProof(key))
    assert.equal(redeemed.body.token_type, 'DPoP')
    const malformed = await authorize(visitor, client, { dpop_jkt: 'short' })
    assert.equal(malformed.body.error, 'invalid_request')
  })

  test('§10.1: a pushed request binds its code by dpop_jkt or by a proof, which must be of one key', async ({
    assert,
  }) => {
    await useDpop({}, { pushedRequests: { enabled: true } })
    const { visitor } = await signedIn()
    const client = await registerClient()
    const [key, other] = [await createKey(), await createKey()]
    const { verifier, challenge } = createPkce()
    const url = await serverUrl('/oauth/par')
    const headers = async () => ({ dpop: await createProof(key, { url }) })
    const both = await push(client, { dpop_jkt: other.jkt }, await headers())
    assert.equal(both.body.error, 'invalid_request')

    const { body } = await push(client, { code_challenge: challenge }, await headers())
    const page = await openPushed(visitor, client, body.request_uri)
    const answer = await decide(visitor, await page.text(), 'approve')
    const code = new URL(answer.headers.get('location')!).searchParams.get('code')!
    const fields = redemption(client, { code, verifier })
    const stolen = await postWithProof(fields, await createProof(other))
    assert.equal(stolen.body.error, 'invalid_grant')
    assert.equal((await postWithProof(fields, await createProof(key))).status, 200)
  })
})
