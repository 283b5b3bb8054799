import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import type User from '#models/user'
import { Users } from '#kit/auth/users'
import { defineClaims } from '#kit/oauth2/openid/claims'
import { createKey, createProof, obtainBound, useDpop } from '#starter/helpers/dpop'
import { RESOURCE, isolate } from '#starter/helpers/oauth'
import { registerRelyingParty, signInTo, useOpenId, parties } from '#starter/helpers/openid'
import { wrapForTest } from '#starter/helpers/replace'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor, signedIn } from '#starter/helpers/visitor'

/** What the UserInfo endpoint says to the holder of an access token. */
async function ask(token: string | null, method = 'GET', headers: Record<string, string> = {}) {
  const response = await new Visitor().request(method, '/oauth/userinfo', {
    headers: { ...headers, ...(token !== null && { authorization: `Bearer ${token}` }) },
  })
  const text = await response.text()
  const body = (text ? JSON.parse(text) : {}) as Record<string, any>
  return { status: response.status, headers: response.headers, body }
}

async function tokenOf(visitor: Visitor, scope?: string) {
  const more = scope === undefined ? {} : { scope }
  const tokens = await signInTo(visitor, await registerRelyingParty(), more)
  return tokens.access_token
}

test.group('UserInfo (OpenID Connect Core 1.0 §5.3)', (group) => {
  group.each.setup(isolate)

  for (const method of ['GET', 'POST']) {
    test(`§5.3.1 ${method} with an access token answers the claims as JSON`, async ({ assert }) => {
      await useOpenId()
      const { visitor, user } = await signedIn({ fullName: 'Ann Example' })
      const { status, headers, body } = await ask(await tokenOf(visitor), method)
      assert.equal(status, 200)
      assert.match(headers.get('content-type')!, /^application\/json/)
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.deepEqual(body, {
        sub: String(user.id),
        name: 'Ann Example',
        updated_at: Math.floor(user.updatedAt!.toSeconds()),
        email: user.email,
        email_verified: false,
      })
    })
  }

  test('§5.3.2 a claim without a value is left out', async ({ assert }) => {
    await useOpenId()
    const { visitor } = await signedIn({ fullName: null })
    assert.notProperty((await ask(await tokenOf(visitor))).body, 'name')
  })

  test('§5.4 each scope asks for its own claims, and openid for sub alone', async ({ assert }) => {
    await useOpenId()
    const { visitor } = await signedIn({ fullName: 'Ann' })
    const asked = async (scope: string) =>
      Object.keys((await ask(await tokenOf(visitor, scope))).body).sort()
    assert.deepEqual(await asked('openid'), ['sub'])
    assert.deepEqual(await asked('openid email'), ['email', 'email_verified', 'sub'])
    assert.deepEqual(await asked('openid profile'), ['name', 'sub', 'updated_at'])
  })

  test('§5.1 email_verified is true only when the address is verified', async ({ assert }) => {
    await useOpenId()
    for (const [emailVerifiedAt, expected] of [
      [null, false],
      [1, true],
    ] as const) {
      const { visitor } = await signedIn({ emailVerifiedAt })
      const { body } = await ask(await tokenOf(visitor))
      assert.strictEqual(body.email_verified, expected)
    }
  })

  test('§5.3.1 without a token it is 401 with a Bearer challenge', async ({ assert }) => {
    await useOpenId()
    const { status, headers } = await ask(null)
    assert.equal(status, 401)
    assert.equal(headers.get('www-authenticate'), 'Bearer')
    const bad = await ask('eyJhbGciOiJub25lIn0.e30.')
    assert.equal(bad.status, 401)
    assert.equal(bad.body.error, 'invalid_token')
    assert.equal(
      bad.headers.get('www-authenticate'),
      'Bearer error="invalid_token", error_description="The access token is missing, invalid, expired or revoked."'
    )
  })

  test('a session is no access token', async ({ assert }) => {
    await useOpenId()
    const { visitor } = await signedIn()
    assert.equal((await visitor.get('/oauth/userinfo')).status, 401)
  })

  test('§5.3.3 a token without the scope openid is 403 insufficient_scope', async ({ assert }) => {
    await useOpenId()
    const { visitor } = await signedIn()
    const { status, body, headers } = await ask(await tokenOf(visitor, 'profile posts:read'))
    assert.equal(status, 403)
    assert.equal(body.error, 'insufficient_scope')
    assert.equal(
      headers.get('www-authenticate'),
      'Bearer error="insufficient_scope", error_description="The request requires a scope that was not granted.", scope="openid"'
    )
  })

  test('a token for another resource, and that of an inactive person, is 401', async ({
    assert,
  }) => {
    const { user, visitor, client } = await parties()
    const bound = await signInTo(visitor, client, { resource: RESOURCE })
    assert.equal((await ask(bound.access_token)).status, 401)
    const { access_token: token } = await signInTo(visitor, client)
    await user.merge({ isActive: false }).save()
    assert.equal((await ask(token)).status, 401)
  })

  test('a token that is bound to a key tells of users of every user provider, as any other does', async ({
    assert,
  }) => {
    await useDpop()
    await useOpenId({ dpop: { enabled: true } })
    const { visitor } = await signedIn()
    const [client, key] = [await registerRelyingParty(), await createKey()]
    const { body } = await obtainBound(visitor, client, key, { scope: 'openid' })
    const token = body.access_token as string
    const url = await serverUrl('/oauth/userinfo')
    const askBound = async () => {
      const dpop = await createProof(key, { method: 'GET', url, token })
      return ask(null, 'GET', { authorization: `DPoP ${token}`, dpop })
    }
    assert.equal((await askBound()).status, 200)

    const manager = await app.container.make('auth_manager')
    const { provider, hasher } = manager.users('users')
    const admins = new Users('admins', provider, hasher)
    wrapForTest(manager, 'users', (users) => (name) => (name === 'admins' ? admins : users(name)))
    wrapForTest(manager, 'hasUsers', (has) => (name) => name === 'admins' || has(name))
    await db.from('oauth_access_tokens').update({ provider: 'admins' })
    const { status, body: claims } = await askBound()
    assert.equal(status, 200)
    assert.match(claims.sub, /^admins\|/)
  })

  test('pages of other origins may ask, without cookies', async ({ assert }) => {
    await useOpenId()
    const { visitor } = await signedIn()
    const origin = { origin: 'https://spa.example.com' }
    const { status, headers } = await ask(await tokenOf(visitor), 'GET', origin)
    assert.equal(status, 200)
    assert.equal(headers.get('access-control-allow-origin'), '*')
    assert.isNull(headers.get('access-control-allow-credentials'))
  })

  test('claims of a fork are asked of its own functions, which know for whom', async ({
    assert,
  }) => {
    const claims = defineClaims<User>({
      'profile': { nickname: async (user) => user.fullName?.split(' ')[0] },
      'posts:read': { of: (_user, { provider, clientId }) => `${provider} for ${clientId}` },
    })
    await useOpenId({ openid: { enabled: true, claims } })
    const { visitor, user } = await signedIn({ fullName: 'Ann Example' })
    const client = await registerRelyingParty()
    const { access_token: token } = await signInTo(visitor, client)
    assert.deepEqual((await ask(token)).body, {
      sub: String(user.id),
      nickname: 'Ann',
      of: `users for ${client.id}`,
    })
  })
})
