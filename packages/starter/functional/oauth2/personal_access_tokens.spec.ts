import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { AuthContext } from '#kit/auth/outcome'
import { InsufficientScope } from '#kit/auth/errors'
import {
  authorizationServer,
  isolate,
  obtainTokens,
  opens,
  read,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { stopClock, travel } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const PATH = '/oauth/personal-access-tokens'

test.group('/oauth/personal-access-tokens', (group) => {
  group.each.setup(isolate)

  const create = async (visitor: Visitor, json: unknown) => read(await visitor.send(PATH, json))
  const list = async (visitor: Visitor) => read(await visitor.get(PATH))
  const remove = (visitor: Visitor, jti = '') =>
    visitor.request('DELETE', PATH + (jti && `/${jti}`), { csrf: true })

  test('POST creates one and shows the token once', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const { status, headers, body } = await create(visitor, {
      name: 'script',
      scopes: ['posts:read'],
      ttl: 60,
    })
    assert.equal(status, 201)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.sameMembers(Object.keys(body), ['jti', 'name', 'access_token', 'scopes', 'expires_in'])
    assert.equal(body.name, 'script')
    assert.deepEqual(body.scopes, ['posts:read'])
    assert.strictEqual(body.expires_in, 60)
    const claims = decodeJwt(body.access_token)
    assert.equal(claims.jti, body.jti)
    assert.equal(claims.sub, String(user.id))
    assert.equal(claims.exp! - claims.iat!, 60)
    const me = await read(
      await new Visitor().get('/api/me', {
        headers: { authorization: `Bearer ${body.access_token}` },
      })
    )
    assert.deepEqual(me.body.scopes, ['posts:read'])
    assert.isNull(me.body.client_id)
    travel(60)
    assert.isFalse(await opens(body.access_token))
  })

  test('without ttl it lives for personal_access_token_ttl, without scopes it has the default ones', async ({
    assert,
  }) => {
    await useConfig({ defaultScopes: ['posts:read'] })
    const { visitor } = await signedIn()
    for (const json of [{ name: 'a' }, { name: 'b', scopes: [], ttl: null }]) {
      const { body } = await create(visitor, json)
      assert.equal(body.expires_in, 31_536_000)
      assert.deepEqual(body.scopes, ['posts:read'])
    }
  })

  test('one may live for as many seconds as the largest integer of a database', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const { body } = await create(visitor, { name: 'a', ttl: 2 ** 31 - 1 })
    assert.equal(body.expires_in, 2_147_483_647)
  })

  test('an unknown scope is invalid_scope', async ({ assert }) => {
    const { visitor } = await signedIn()
    for (const scope of ['nonsense', '*', 'posts:read posts:write']) {
      const { status, body } = await create(visitor, { name: 'a', scopes: [scope] })
      assert.equal(status, 400)
      assert.equal(body.error, 'invalid_scope')
    }
    assert.lengthOf(await db.from('oauth_access_tokens'), 0)
  })

  test('scopes that make a token too long to be used are invalid_scope', async ({ assert }) => {
    await useConfig({ scopes: {} })
    const { visitor } = await signedIn()
    const scopes = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(255, 'x'))
    const { status, body } = await create(visitor, { name: 'a', scopes })
    assert.equal(status, 400)
    assert.equal(body.error, 'invalid_scope')
    assert.lengthOf(await db.from('oauth_access_tokens'), 0)
  })

  for (const json of [
    {},
    [],
    { name: '' },
    { name: '  ' },
    { name: 1 },
    { name: 'x'.repeat(256) },
    { name: 'a\0b' },
    { name: 'a', scopes: 'posts:read' },
    { name: 'a', scopes: [1] },
    { name: 'a', scopes: { 0: 'posts:read' } },
    { name: 'a', ttl: 0 },
    { name: 'a', ttl: -1 },
    { name: 'a', ttl: 1.5 },
    { name: 'a', ttl: '60' },
    { name: 'a', ttl: 1e300 },
    { name: 'a', ttl: 2 ** 31 },
  ]) {
    test(`POST ${JSON.stringify(json).slice(0, 40)} is a 422`, async ({ assert }) => {
      const { visitor } = await signedIn()
      const { status, body } = await create(visitor, json)
      assert.equal(status, 422)
      assert.isArray(body.errors)
      assert.lengthOf(await db.from('oauth_access_tokens'), 0)
    })
  }

  test('GET lists the active ones, in epoch seconds', async ({ assert }) => {
    const tick = stopClock()
    const { visitor } = await signedIn()
    const stranger = await signedIn()
    await obtainTokens(visitor, await registerClient())
    await create(stranger.visitor, { name: 'foreign' })
    const { body: revoked } = await create(visitor, { name: 'revoked' })
    const { body: expiring } = await create(visitor, { name: 'expiring', ttl: 10 })
    const { body: kept } = await create(visitor, { name: 'kept', scopes: ['posts:read'] })
    await remove(visitor, revoked.jti)
    assert.lengthOf((await list(visitor)).body, 2)
    tick(10)
    const { status, headers, body } = await list(visitor)
    const { iat, exp } = decodeJwt(kept.access_token)
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.deepEqual(body, [
      {
        jti: kept.jti,
        name: 'kept',
        scopes: ['posts:read'],
        revoked: false,
        created_at: iat,
        expires_at: exp,
      },
    ])
    assert.isFalse(await opens(expiring.access_token))
  })

  test('DELETE with a jti revokes one; unknown, foreign and other kinds are left alone', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const stranger = await signedIn()
    const { body: own } = await create(visitor, { name: 'own' })
    const { body: other } = await create(visitor, { name: 'other' })
    const { body: foreign } = await create(stranger.visitor, { name: 'foreign' })
    const tokens = await obtainTokens(visitor, await registerClient())
    for (const jti of [own.jti, 'unknown', foreign.jti, decodeJwt(tokens.access_token).jti!]) {
      const response = await remove(visitor, jti)
      assert.equal(response.status, 204)
      assert.equal(await response.text(), '')
    }
    assert.isFalse(await opens(own.access_token))
    for (const token of [other, foreign, tokens]) {
      assert.isTrue(await opens(token.access_token))
    }
  })

  test('DELETE revokes all of the user’s, and no other tokens', async ({ assert }) => {
    const { visitor } = await signedIn()
    const stranger = await signedIn()
    const own = [await create(visitor, { name: 'a' }), await create(visitor, { name: 'b' })]
    const { body: foreign } = await create(stranger.visitor, { name: 'foreign' })
    const tokens = await obtainTokens(visitor, await registerClient())
    assert.equal((await remove(visitor)).status, 204)
    for (const { body } of own) {
      assert.isFalse(await opens(body.access_token))
    }
    assert.isTrue(await opens(foreign.access_token))
    assert.isTrue(await opens(tokens.access_token))
  })

  test('needs a signed-in user, and the CSRF token for unsafe methods', async ({ assert }) => {
    const { visitor } = await signedIn()
    for (const [method, path] of [
      ['GET', PATH],
      ['POST', PATH],
      ['DELETE', PATH],
      ['DELETE', `${PATH}/x`],
    ]) {
      const refused = await new Visitor().request(method!, path!)
      assert.equal(refused.status, 401)
      if (method !== 'GET') {
        assert.equal((await visitor.request(method!, path!)).status, 403)
      }
    }
  })

  test('a token cannot make another that may do more', async ({ assert }) => {
    const { user } = await signedIn()
    const server = await authorizationServer()
    const manager = await app.container.make('auth_manager')
    const key = { userId: manager.usersOf().identify(user), provider: 'users' }
    const context = new AuthContext({ user, scopes: ['posts:read'] })
    const made = await server.personalAccessTokens.create(key, context, {
      name: 'same',
      scopes: ['posts:read'],
    })
    assert.deepEqual(made.scopes, ['posts:read'])
    await assert.rejects(
      () =>
        server.personalAccessTokens.create(key, context, {
          name: 'more',
          scopes: ['posts:read', 'posts:write'],
        }),
      InsufficientScope
    )
  })
})
