import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { SignJWT, decodeJwt } from 'jose'

import { UserFactory } from '#database/factories/user_factory'
import env from '#start/env'
import { SCOPED } from '#starter/helpers/fixtures/scoped_routes'
import {
  RESOURCE,
  authorizationServer,
  credentials,
  isolate,
  obtainTokens,
  opens,
  postToken,
  read,
  registerClient,
} from '#starter/helpers/oauth'
import { recordStatements } from '#starter/helpers/statements'
import { travel } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const key = () => new TextEncoder().encode(env.get('OAUTH_KEY')!.release())

test.group('The oauth2 guard', (group) => {
  group.each.setup(isolate)

  const me = async (authorization: string) =>
    read(await new Visitor().get('/api/me', { headers: { authorization } }))

  async function granted(more = {}) {
    const { user, visitor } = await signedIn()
    const client = await registerClient()
    const { access_token: token } = await obtainTokens(visitor, client, more)
    return { user, client, token }
  }

  test('recognises the user, the client and the scopes of a bearer token', async ({ assert }) => {
    const { user, client, token } = await granted({ scope: 'posts:read' })
    const { status, body } = await me(`Bearer ${token}`)
    assert.equal(status, 200)
    assert.equal(body.user.id, user.id)
    assert.equal(body.guard, 'oauth')
    assert.deepEqual(body.scopes, ['posts:read'])
    assert.equal(body.client_id, client.id)
  })

  test('starts no session and sets no cookie', async ({ assert }) => {
    const { token } = await granted()
    const response = await new Visitor().get('/api/me', {
      headers: { authorization: `bearer ${token}` },
    })
    assert.equal(response.status, 200)
    assert.lengthOf(response.setCookies, 0)
  })

  test('costs one statement, for token and user together', async ({ assert }) => {
    const { token } = await granted()
    await opens(token)
    const statements = await recordStatements(async () => assert.isTrue(await opens(token)))
    assert.lengthOf(statements, 1)
    assert.match(statements[0]!, /^select .* from oauth_access_tokens left join/i)
  })

  test('refuses what is no token of ours', async ({ assert }) => {
    const { token } = await granted()
    const claims = decodeJwt(token)
    const sign = (payload: object, header: object = {}, secret = key()) =>
      new SignJWT({ ...payload })
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', ...header })
        .sign(secret)
    const [, payload, signature] = token.split('.')
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')

    const forgeries = {
      'another key': await sign(claims, {}, new TextEncoder().encode('x'.repeat(40))),
      'another algorithm': await sign(claims, { alg: 'HS512' }),
      'another type': await sign(claims, { typ: 'JWT' }),
      'no type': await sign(claims, { typ: undefined }),
      'an unknown jti': await sign({ ...claims, jti: 'unknown' }),
      'no jti': await sign({ ...claims, jti: undefined }),
      'an aud of its own': await sign({ ...claims, aud: RESOURCE }),
      'an expiry in the past': await sign({ ...claims, exp: 1 }),
      'no expiry': await sign({ ...claims, exp: undefined }),
      'an expiry that is a text': await sign({ ...claims, exp: '9999999999' }),
      'no algorithm': `${none}.${payload}.`,
      'no algorithm, a signature': `${none}.${payload}.${signature}`,
      'a changed payload': `${token.split('.')[0]}.${Buffer.from('{}').toString('base64url')}.${signature}`,
      'half of it': token.slice(0, token.length / 2),
      'an API token': '1|secret',
      'a refresh token': 'x'.repeat(43),
    }
    for (const [title, forged] of Object.entries(forgeries)) {
      const { status, headers, body } = await me(`Bearer ${forged}`)
      assert.equal(status, 401, title)
      assert.equal(body.error, 'invalid_token', title)
      assert.equal(headers.get('www-authenticate'), 'Bearer')
      assert.equal(headers.get('cache-control'), 'no-store')
    }
    assert.equal((await me(`Bearer ${await sign(claims)}`)).status, 200)
  })

  test('refuses odd Authorization headers', async ({ assert }) => {
    const { token } = await granted()
    for (const header of [
      'Bearer',
      'Bearer ',
      `Bearer ${token} ${token}`,
      `Bearer, ${token}`,
      `Token ${token}`,
      token,
      `Bearer ${'x'.repeat(10_000)}`,
    ]) {
      assert.equal((await me(header)).status, 401, header.slice(0, 20))
    }
    const inQuery = await new Visitor().get(`/api/me?access_token=${token}`)
    assert.equal(inQuery.status, 401)
  })

  test('an access token expires at access_token_ttl', async ({ assert }) => {
    const { token } = await granted()
    assert.isTrue(await opens(token))
    const { iat } = decodeJwt(token)
    travel(iat! + 3600 - Date.now() / 1000)
    assert.isFalse(await opens(token))
  })

  test('a revoked token is refused at once, however often it was seen', async ({ assert }) => {
    const { token } = await granted()
    assert.isTrue(await opens(token))
    const server = await authorizationServer()
    await server.tokens.revokeAccessToken(decodeJwt(token).jti!, Date.now())
    assert.isFalse(await opens(token))
  })

  test('a token whose row is gone or has expired is refused', async ({ assert }) => {
    const { token } = await granted()
    await db.from('oauth_access_tokens').update({ expires_at: Date.now() })
    assert.isFalse(await opens(token))
    await db.from('oauth_access_tokens').delete()
    assert.isFalse(await opens(token))
  })

  test('a user that is inactive or gone is refused', async ({ assert }) => {
    const { user, token } = await granted()
    await db.from('users').where('id', user.id).update({ is_active: false })
    assert.isFalse(await opens(token))
    await db.from('users').where('id', user.id).update({ is_active: true })
    assert.isTrue(await opens(token))
    await db.from('users').where('id', user.id).delete()
    assert.isFalse(await opens(token))
  })

  test('a guard without an audience refuses resource-bound tokens', async ({ assert }) => {
    const { token } = await granted({ resource: RESOURCE })
    const { status, body } = await me(`Bearer ${token}`)
    assert.equal(status, 401)
    assert.equal(body.error, 'invalid_token')
  })

  test('client.withOAuthToken sends a token of the user', async ({ client }) => {
    const user = await UserFactory.create()
    const response = await client.get('/api/me').withOAuthToken(user, { scopes: ['posts:read'] })
    response.assertStatus(200)
    response.assertBodyContains({ user: { id: user.id }, guard: 'oauth', scopes: ['posts:read'] })
    const bound = await client.get('/api/me').withOAuthToken(user, { resource: RESOURCE })
    bound.assertStatus(401)
  })

  test('a route that requires scopes lets a token with them through, a user or none, and refuses others with 403', async ({
    assert,
    client: http,
  }) => {
    const user = await UserFactory.create()
    const allowed = await http.get(SCOPED).withOAuthToken(user, { scopes: ['posts:read'] })
    allowed.assertStatus(200)
    const refused = await http.get(SCOPED).withOAuthToken(user, { scopes: ['posts:write'] })
    refused.assertStatus(403)

    const service = await registerClient()
    for (const [scope, expected] of [
      ['posts:read', 200],
      ['posts:write', 403],
    ] as const) {
      const { body } = await postToken({
        grant_type: 'client_credentials',
        scope,
        ...credentials(service),
      })
      const response = await new Visitor().get(SCOPED, {
        headers: { authorization: `Bearer ${body.access_token}` },
      })
      assert.equal(response.status, expected)
    }
  })
})
