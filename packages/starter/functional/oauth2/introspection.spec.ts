import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { SignJWT, decodeJwt } from 'jose'

import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import env from '#start/env'
import {
  ALL_GRANTS,
  RESOURCE,
  type TestClient,
  authorizationServer,
  credentials,
  isolate,
  opens,
  post,
  postToken,
  refreshing,
  registerClient,
  useConfig,
  granted,
} from '#starter/helpers/oauth'
import { travel } from '#starter/helpers/time'
import { signedIn } from '#starter/helpers/visitor'

const INACTIVE = { active: false }

test.group('POST /oauth/introspect', (group) => {
  group.each.setup(isolate)

  const introspect = (caller: TestClient, token: string, more = {}) =>
    post('/oauth/introspect', { token, ...credentials(caller), ...more })

  /** Tokens, and another client than theirs, which asks about them. */
  async function withCaller(more = {}) {
    const caller = await registerClient({ name: 'An API' })
    return { ...(await granted({}, more)), caller }
  }

  test('any confidential client may ask about an access token', async ({ assert }) => {
    await useConfig({ issuer: 'https://id.example.com' })
    const { user, client, caller, tokens } = await withCaller({ resource: RESOURCE })
    const { status, headers, body } = await introspect(caller, tokens.access_token)
    const { exp, iat, jti } = decodeJwt(tokens.access_token)
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.deepEqual(body, {
      active: true,
      scope: 'posts:read posts:write',
      client_id: client.id,
      sub: String(user.id),
      token_type: 'Bearer',
      exp,
      iat,
      jti,
      aud: RESOURCE,
      iss: 'https://id.example.com',
    })
  })

  test('aud and iss are absent when the token has none', async ({ assert }) => {
    const { caller, tokens } = await withCaller()
    const { body } = await introspect(caller, tokens.access_token)
    assert.notProperty(body, 'aud')
    assert.notProperty(body, 'iss')
  })

  test('a refresh token is introspectable, without jti and iss, and is not consumed', async ({
    assert,
  }) => {
    await useConfig({ issuer: 'https://id.example.com' })
    const { user, client, caller, tokens } = await withCaller({ resource: RESOURCE })
    const { body } = await introspect(caller, tokens.refresh_token)
    const { iat } = decodeJwt(tokens.access_token)
    assert.deepEqual(body, {
      active: true,
      scope: 'posts:read posts:write',
      client_id: client.id,
      sub: String(user.id),
      token_type: 'refresh_token',
      exp: iat! + 1_209_600,
      iat,
      aud: RESOURCE,
    })
    assert.equal((await postToken(refreshing(client, tokens.refresh_token))).status, 200)
  })

  test('the hint is only a hint', async ({ assert }) => {
    const { caller, tokens } = await withCaller()
    for (const hint of ['refresh_token', 'access_token', 'nonsense']) {
      for (const token of [tokens.access_token, tokens.refresh_token]) {
        const { body } = await introspect(caller, token, { token_type_hint: hint })
        assert.isTrue(body.active)
      }
    }
  })

  test('a client-credentials token introspects with the client as its sub', async ({ assert }) => {
    const client = await registerClient()
    const { body: tokens } = await postToken({
      grant_type: 'client_credentials',
      ...credentials(client),
    })
    const { body } = await introspect(client, tokens.access_token)
    assert.isTrue(body.active)
    assert.equal(body.sub, client.id)
    assert.strictEqual(body.scope, '')
  })

  test('a personal access token introspects with client_id null, which is a use of it', async ({
    assert,
  }) => {
    const { visitor, user } = await signedIn()
    const caller = await registerClient()
    const created = await visitor.send('/oauth/personal-access-tokens', {
      name: 'script',
      scopes: ['posts:read'],
    })
    const { access_token: token } = (await created.json()) as any
    const { body } = await introspect(caller, token)
    assert.isTrue(body.active)
    assert.isNull(body.client_id)
    const { usedGrants } = await authorizationServer()
    await usedGrants.settled()
    const [row] = await db.from('oauth_access_tokens')
    assert.isNotNull(row.last_used_at)
    assert.equal(body.sub, String(user.id))
    assert.equal(body.token_type, 'Bearer')
  })

  test('unknown tokens, of whatever shape, are exactly {"active": false}', async ({ assert }) => {
    const caller = await registerClient()
    for (const token of ['x', 'x'.repeat(43), '1|secret', 'a.b.c', '..', 'ä', '{}']) {
      const { status, body } = await introspect(caller, token)
      assert.equal(status, 200)
      assert.deepEqual(body, INACTIVE)
    }
  })

  test('a forged JWT with a real jti is inactive', async ({ assert }) => {
    const { caller, tokens } = await withCaller()
    const claims = decodeJwt(tokens.access_token)
    const sign = (typ: string, key: string) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ })
        .sign(new TextEncoder().encode(key))
    const none = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${tokens.access_token.split('.')[1]}.`
    for (const token of [
      await sign('at+jwt', 'another key another key another key'),
      await sign('JWT', env.get('OAUTH_KEY')!.release()),
      none,
      tokens.access_token.slice(0, -2),
    ]) {
      assert.deepEqual((await introspect(caller, token)).body, INACTIVE)
    }
    const real = await sign('at+jwt', env.get('OAUTH_KEY')!.release())
    assert.isTrue((await introspect(caller, real)).body.active)
  })

  test('an access token of another issuer is inactive', async ({ assert }) => {
    const { caller, tokens } = await withCaller()
    await useConfig({ issuer: 'https://id.example.com' })
    assert.deepEqual((await introspect(caller, tokens.access_token)).body, INACTIVE)
  })

  test('the signature of a token is verified once, of an expired one each time', async ({
    assert,
  }) => {
    const { accessTokens, keys } = await useConfig({})
    const [living, late] = [await withCaller(), await withCaller()]
    const verify = keys.verify.bind(keys)
    let verified = 0
    keys.verify = (...args) => {
      verified++
      return verify(...args)
    }
    const verifyTwice = async (token: string) => {
      verified = 0
      await accessTokens.verifySignature(token)
      await accessTokens.verifySignature(token)
      return verified
    }
    assert.equal(await verifyTwice(living.tokens.access_token), 1)
    travel(3600)
    assert.equal(await verifyTwice(late.tokens.access_token), 2)
  })

  test('a rotated refresh token is inactive, and asking revokes nothing', async ({ assert }) => {
    const { client, caller, tokens } = await withCaller()
    const { body: next } = await postToken(refreshing(client, tokens.refresh_token))
    assert.deepEqual((await introspect(caller, tokens.refresh_token)).body, INACTIVE)
    assert.deepEqual((await introspect(caller, tokens.access_token)).body, INACTIVE)
    assert.isTrue(await opens(next.access_token))
  })

  test('expired tokens are inactive', async ({ assert }) => {
    const { caller, tokens } = await withCaller()
    travel(3600)
    assert.deepEqual((await introspect(caller, tokens.access_token)).body, INACTIVE)
    assert.isTrue((await introspect(caller, tokens.refresh_token)).body.active)
    travel(1_209_600)
    assert.deepEqual((await introspect(caller, tokens.refresh_token)).body, INACTIVE)
  })

  test('revoked tokens are inactive', async ({ assert }) => {
    const { client, caller, tokens } = await withCaller()
    await post('/oauth/revoke', { token: tokens.access_token, ...credentials(client) })
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      assert.deepEqual((await introspect(caller, token)).body, INACTIVE)
    }
  })

  test('tokens whose user is inactive, gone or another provider’s are inactive', async ({
    assert,
  }) => {
    const { user, client, caller, tokens } = await withCaller()
    const both = () =>
      Promise.all(
        [tokens.access_token, tokens.refresh_token].map(
          async (token) => (await introspect(caller, token)).body.active
        )
      )
    assert.deepEqual(await both(), [true, true])
    await db.from('oauth_clients').where('id', client.id).update({ provider: 'others' })
    assert.deepEqual(await both(), [false, false])
    await db.from('oauth_clients').where('id', client.id).update({ provider: 'users' })
    assert.deepEqual(await both(), [true, true])
    await db.from('users').where('id', user.id).update({ is_active: false })
    assert.deepEqual(await both(), [false, false])
    await db.from('users').where('id', user.id).delete()
    assert.deepEqual(await both(), [false, false])
  })

  test('a refresh token without a client is inactive while the password grant is disabled', async ({
    assert,
  }) => {
    await useConfig({ grantTypes: ALL_GRANTS })
    const { user } = await signedIn()
    const caller = await registerClient()
    const { body } = await post('/token', { username: user.email, password: FACTORY_PASSWORD })
    assert.isTrue((await introspect(caller, body.refresh_token)).body.active)
    await useConfig({ grantTypes: ['client_credentials'] })
    assert.deepEqual((await introspect(caller, body.refresh_token)).body, INACTIVE)
  })

  test('a public client is invalid_client, and so is none', async ({ assert }) => {
    const { tokens } = await withCaller()
    const publicClient = await registerClient({ confidential: false })
    for (const fields of [{ client_id: publicClient.id }, {}]) {
      const { status, headers, body } = await post('/oauth/introspect', {
        token: tokens.access_token,
        ...fields,
      })
      assert.equal(status, 401)
      assert.equal(headers.get('www-authenticate'), 'Basic')
      assert.equal(body.error, 'invalid_client')
    }
  })

  test('a missing token is invalid_request', async ({ assert }) => {
    const caller = await registerClient()
    assert.equal((await introspect(caller, '')).body.error, 'invalid_request')
  })
})
