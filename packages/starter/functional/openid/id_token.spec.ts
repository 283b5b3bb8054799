import { createHash } from 'node:crypto'

import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { MemoryKeyStore } from '#kit/oauth2/keys/key_store'
import {
  basic,
  isolate,
  obtainCode,
  postToken,
  redemption,
  refreshing,
} from '#starter/helpers/oauth'
import {
  SCOPE,
  registerRelyingParty,
  signInByPages,
  signInTo,
  useOpenId,
  verified,
  parties,
} from '#starter/helpers/openid'
import { usePasskeys } from '#starter/helpers/passkeys'
import { Authenticator } from '#starter/helpers/software_authenticator'
import { stopClock } from '#starter/helpers/time'
import { codeOf, turnOn } from '#starter/helpers/two_factor'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor, signedIn } from '#starter/helpers/visitor'

test.group('ID tokens (OpenID Connect Core 1.0 §2)', (group) => {
  group.each.setup(isolate)

  test('§2 iss, sub, aud, exp and iat are there, and name this server, the user and the client', async ({
    assert,
  }) => {
    const { user, visitor, client } = await parties()
    const { id_token: idToken } = await signInTo(visitor, client)
    const { claims, header } = await verified(idToken, { audience: client.id })
    assert.equal(claims.iss, await serverUrl())
    assert.equal(claims.sub, String(user.id))
    assert.equal(claims.aud, client.id)
    assert.equal(claims.exp, claims.iat! + 300)
    assert.equal(header.typ, 'JWT')
    assert.equal(header.alg, 'RS256')
    assert.isString(header.kid)
  })

  test('§2 auth_time is the moment of the sign-in, and not that of the token', async ({
    assert,
  }) => {
    const tick = stopClock()
    await useOpenId()
    const signInAt = Math.floor(Date.now() / 1000)
    const { visitor } = await signedIn()
    tick(100)
    const { id_token: idToken } = await signInTo(visitor, await registerRelyingParty())
    const claims = decodeJwt(idToken)
    assert.equal(claims.auth_time, signInAt)
    assert.equal(claims.iat, signInAt + 100)
  })

  test('§2 nonce comes back as it was sent, and is left out when none was sent', async ({
    assert,
  }) => {
    const { visitor, client } = await parties()
    const nonce = 'n-0S6_WzA2Mj "ünï"'
    assert.equal(decodeJwt((await signInTo(visitor, client, { nonce })).id_token).nonce, nonce)
    assert.notProperty(decodeJwt((await signInTo(visitor, client)).id_token), 'nonce')
  })

  for (const [algorithm, digest, bytes] of [
    ['RS256', 'sha256', 16],
    ['ES384', 'sha384', 24],
    ['PS512', 'sha512', 32],
    ['EdDSA', 'sha512', 32],
    ['Ed25519', 'sha512', 32],
  ] as const) {
    test(`§3.1.3.6 at_hash is the left half of the ${digest} of the access token for ${algorithm}`, async ({
      assert,
    }) => {
      const server = await useOpenId({
        keys: { store: 'instance', instance: new MemoryKeyStore() },
      })
      await server.keys.stored!.add(algorithm, Date.now())
      await server.keys.refresh()
      const { visitor } = await signedIn()
      const tokens = await signInTo(visitor, await registerRelyingParty())
      assert.equal((await verified(tokens.id_token)).header.alg, algorithm)
      const whole = createHash(digest).update(tokens.access_token).digest()
      const expected = whole.subarray(0, bytes).toString('base64url')
      assert.equal(decodeJwt(tokens.id_token).at_hash, expected)
    })
  }

  test('sid names the session, stays over its requests, and opens nothing', async ({ assert }) => {
    const { user, visitor, client } = await parties()
    const sid = decodeJwt((await signInTo(visitor, client)).id_token).sid
    assert.match(String(sid), /^\w{22}$/)
    assert.equal(decodeJwt((await signInTo(visitor, client)).id_token).sid, sid)
    const { visitor: other } = await signedIn(user)
    assert.notEqual(decodeJwt((await signInTo(other, client)).id_token).sid, sid)
    const cookies = [...visitor.cookies.values()].join()
    assert.notInclude(cookies, String(sid))
  })

  test('§3.1.3.3 without the scope openid there is no ID token', async ({ assert }) => {
    const { visitor, client } = await parties()
    const tokens = await signInTo(visitor, client, { scope: 'profile posts:read', nonce: 'n' })
    assert.notProperty(tokens, 'id_token')
  })

  test('whoever does not allow the scope openid gives no ID token', async ({ assert }) => {
    const { visitor, client } = await parties()
    const tokens = await signInByPages(visitor, client, {}, ['posts:read'])
    assert.equal(tokens.scope, 'posts:read')
    assert.notProperty(tokens, 'id_token')
  })

  test('a client with no user gets no ID token', async ({ assert }) => {
    await useOpenId()
    const { id, secret } = await registerRelyingParty()
    const fields = { grant_type: 'client_credentials', scope: 'openid' }
    const { body } = await postToken(fields, basic(id, secret))
    assert.isString(body.access_token)
    assert.notProperty(body, 'id_token')
  })

  test('is no access token: its type is another one', async ({ assert }) => {
    await useOpenId()
    const { visitor } = await signedIn()
    const { id_token: idToken } = await signInTo(visitor, await registerRelyingParty())
    const headers = { authorization: `Bearer ${idToken}` }
    assert.equal((await new Visitor().get('/api/me', { headers })).status, 401)
    assert.equal((await new Visitor().get('/oauth/userinfo', { headers })).status, 401)
  })

  test('the code of one client carries its own nonce, whatever another request has sent', async ({
    assert,
  }) => {
    await useOpenId()
    const { visitor } = await signedIn()
    const [one, two] = [await registerRelyingParty(), await registerRelyingParty()]
    const first = await obtainCode(visitor, one, { scope: SCOPE, nonce: 'of one' })
    const second = await obtainCode(visitor, two, { scope: SCOPE, nonce: 'of two' })
    assert.equal((await postToken(redemption(two, first))).body.error, 'invalid_grant')
    const { body } = await postToken(redemption(one, first, { nonce: 'of two' }))
    assert.equal(decodeJwt(body.id_token).nonce, 'of one')
    assert.equal(decodeJwt(body.id_token).aud, one.id)
    const other = await postToken(redemption(two, second))
    assert.equal(decodeJwt(other.body.id_token).nonce, 'of two')
  })
})

test.group('Refresh (OpenID Connect Core 1.0 §12.2)', (group) => {
  group.each.setup(isolate)

  test('keeps iss, sub, aud and auth_time, has a later iat and no nonce', async ({ assert }) => {
    const tick = stopClock()
    const { visitor, client } = await parties()
    const tokens = await signInTo(visitor, client, { nonce: 'once' })
    const before = decodeJwt(tokens.id_token)
    for (let token = tokens.refresh_token, round = 1; round <= 2; round++) {
      tick(50)
      const { body } = await postToken(refreshing(client, token))
      const after = decodeJwt(body.id_token)
      for (const name of ['iss', 'sub', 'aud', 'auth_time', 'sid', 'acr']) {
        assert.equal(after[name], before[name], name)
      }
      assert.deepEqual(after.amr, before.amr)
      assert.equal(after.iat, before.iat! + 50 * round)
      assert.notProperty(after, 'nonce')
      token = body.refresh_token
    }
  })

  test('that gives the scope openid up gets no ID token any more', async ({ assert }) => {
    const { visitor, client } = await parties()
    const { refresh_token: token } = await signInTo(visitor, client)
    const { status, body } = await postToken(refreshing(client, token, { scope: 'posts:read' }))
    assert.equal(status, 200)
    assert.notProperty(body, 'id_token')
  })
})

test.group('How a person signed in (OpenID Connect Core 1.0 §2, RFC 8176)', (group) => {
  group.each.setup(isolate)

  async function toldOf(visitor: Visitor) {
    const { amr, acr } = decodeJwt((await signInTo(visitor, await registerRelyingParty())).id_token)
    return { amr, acr }
  }

  test('a password is pwd', async ({ assert }) => {
    await useOpenId()
    const { visitor } = await signedIn()
    assert.deepEqual(await toldOf(visitor), { amr: ['pwd'], acr: 'pwd' })
  })

  test('a password and a code of an app are pwd, otp and mfa', async ({ assert }) => {
    const tick = stopClock()
    await useOpenId()
    const user = await UserFactory.create()
    const { secret } = await turnOn(user)
    tick(30)
    const visitor = new Visitor()
    await visitor.login(user.email, FACTORY_PASSWORD)
    await visitor.send('/login/two-factor', { code: codeOf(secret) })
    assert.deepEqual(await toldOf(visitor), { amr: ['pwd', 'otp', 'mfa'], acr: 'mfa' })
  })

  test('a recovery code is a second factor, and no one-time password', async ({ assert }) => {
    await useOpenId()
    const user = await UserFactory.create()
    const { recoveryCodes } = await turnOn(user)
    const visitor = new Visitor()
    const json = {
      email: user.email,
      password: FACTORY_PASSWORD,
    }
    await visitor.post('/login', { json })
    await visitor.send('/login/two-factor', { recovery_code: recoveryCodes[0] })
    assert.deepEqual(await toldOf(visitor), { amr: ['pwd', 'mfa'], acr: 'mfa' })
  })

  test('a code that nobody has asked for is not told', async ({ assert }) => {
    await useOpenId()
    const user = await UserFactory.create()
    const visitor = new Visitor()
    const json = { email: user.email, password: FACTORY_PASSWORD, two_factor_code: '123456' }
    await visitor.post('/login', { json })
    assert.deepEqual(await toldOf(visitor), { amr: ['pwd'], acr: 'pwd' })
  })

  test('a passkey is pop, user and mfa, and cannot be phished', async ({ assert }) => {
    await useOpenId()
    const { origin, rpId } = await usePasskeys()
    const { visitor } = await signedIn()
    const post = async (caller: Visitor, path: string, json: object = {}) =>
      (await caller.send(path, json)).json() as Promise<any>
    const authenticator = new Authenticator(origin, rpId)
    const created = authenticator.create(await post(visitor, '/account/passkeys/options'))
    await post(visitor, '/account/passkeys', { name: 'A key', response: created })

    const other = new Visitor()
    const answer = authenticator.get(await post(other, '/login/passkey/options'))
    await post(other, '/login/passkey', { response: answer })
    assert.deepEqual(await toldOf(other), { amr: ['pop', 'user', 'mfa'], acr: 'phr' })
  })

  test('a session from before is told without methods', async ({ assert }) => {
    await useOpenId()
    const { visitor } = await signedIn()
    await db.from('sessions').update({ login: null })
    const tokens = await signInTo(visitor, await registerRelyingParty())
    const claims = decodeJwt(tokens.id_token)
    assert.isEmpty(['amr', 'acr', 'sid', 'auth_time'].filter((name) => name in claims))
  })
})
