import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import {
  ALL_GRANTS,
  type TestClient,
  authorizationServer,
  credentials,
  isolate,
  obtainTokens,
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

test.group('POST /oauth/revoke', (group) => {
  group.each.setup(isolate)

  const revoke = (caller: TestClient | null, token: string, more = {}) =>
    post('/oauth/revoke', { token, ...(caller && credentials(caller)), ...more })

  for (const kind of ['access_token', 'refresh_token'] as const) {
    for (const hint of [undefined, 'access_token', 'refresh_token', 'nonsense']) {
      test(`an ${kind} with the hint ${hint} is revoked with its chain`, async ({ assert }) => {
        const { client, tokens } = await granted()
        const { status, headers, body } = await revoke(client, tokens[kind], {
          token_type_hint: hint,
        })
        assert.equal(status, 200)
        assert.equal(headers.get('cache-control'), 'no-store')
        assert.deepEqual(body, { revoked: true })
        assert.isFalse(await opens(tokens.access_token))
        const { body: refused } = await postToken(refreshing(client, tokens.refresh_token))
        assert.equal(refused.error, 'invalid_grant')
      })
    }
  }

  test('a public client revokes with its client_id alone', async ({ assert }) => {
    const { client, tokens } = await granted({ confidential: false })
    assert.equal((await revoke(client, tokens.refresh_token)).status, 200)
    assert.isFalse(await opens(tokens.access_token))
  })

  test('a rotated refresh token leads to what came of it', async ({ assert }) => {
    const { client, tokens } = await granted()
    const { body: next } = await postToken(refreshing(client, tokens.refresh_token))
    await revoke(client, tokens.refresh_token)
    assert.isFalse(await opens(next.access_token))
    const { body } = await postToken(refreshing(client, next.refresh_token))
    assert.equal(body.error, 'invalid_grant')
  })

  test('a token that a client has for itself is revoked', async ({ assert }) => {
    const client = await registerClient()
    const own = await postToken({ grant_type: 'client_credentials', ...credentials(client) })
    await revoke(client, own.body.access_token)
    const fields = { token: own.body.access_token, ...credentials(client) }
    assert.deepEqual((await post('/oauth/introspect', fields)).body, { active: false })
  })

  test('an expired access token still leads to its chain, also after a purge', async ({
    assert,
  }) => {
    const { client, tokens } = await granted()
    const { body: next } = await postToken(refreshing(client, tokens.refresh_token))
    const server = await authorizationServer()
    travel(3600)
    await server.purge()
    assert.equal((await revoke(client, tokens.access_token)).status, 200)
    const { body } = await postToken(refreshing(client, next.refresh_token))
    assert.equal(body.error, 'invalid_grant')
  })

  test('unknown, foreign and forged tokens answer the same and change nothing', async ({
    assert,
  }) => {
    const { client, tokens } = await granted()
    const other = await registerClient()
    const [header, payload, signature] = tokens.access_token.split('.')
    for (const [caller, token] of [
      [client, 'unknown'],
      [client, 'a.b.c'],
      [client, `${header}.${payload}.${signature!.slice(4)}aaaa`],
      [other, tokens.access_token],
      [other, tokens.refresh_token],
    ] as const) {
      const { status, body } = await revoke(caller, token)
      assert.equal(status, 200)
      assert.deepEqual(body, { revoked: true })
    }
    assert.isTrue(await opens(tokens.access_token))
    assert.equal((await postToken(refreshing(client, tokens.refresh_token))).status, 200)
  })

  test('a second revocation answers the same', async ({ assert }) => {
    const { client, tokens } = await granted()
    await revoke(client, tokens.refresh_token)
    assert.deepEqual((await revoke(client, tokens.refresh_token)).body, { revoked: true })
  })

  test('another family of the same client lives on', async ({ assert }) => {
    const { visitor, client, tokens } = await granted()
    const others = await obtainTokens(visitor, client)
    await revoke(client, tokens.access_token)
    assert.isTrue(await opens(others.access_token))
  })

  test('failing client authentication is invalid_client and revokes nothing', async ({
    assert,
  }) => {
    const { client, tokens } = await granted()
    for (const fields of [
      {},
      { client_id: client.id },
      { client_id: client.id, client_secret: 'x' },
    ]) {
      const { status, headers, body } = await post('/oauth/revoke', {
        token: tokens.refresh_token,
        ...fields,
      })
      assert.equal(status, 401)
      assert.equal(headers.get('www-authenticate'), 'Basic')
      assert.equal(body.error, 'invalid_client')
    }
    assert.isTrue(await opens(tokens.access_token))
  })

  test('a missing token is invalid_request', async ({ assert }) => {
    const { client } = await granted()
    assert.equal((await revoke(client, '')).body.error, 'invalid_request')
  })

  test('a token without a client is revocable while the password grant is enabled, with or without a client', async ({
    assert,
  }) => {
    await useConfig({ grantTypes: ALL_GRANTS })
    const { user } = await signedIn()
    const client = await registerClient()
    for (const caller of [null, client]) {
      const { body } = await post('/token', { username: user.email, password: FACTORY_PASSWORD })
      assert.equal((await revoke(caller, body.refresh_token)).status, 200)
      assert.isFalse(await opens(body.access_token))
    }
  })

  test('while the password grant is disabled, a token without a client is left alone', async ({
    assert,
  }) => {
    await useConfig({ grantTypes: ALL_GRANTS })
    const { user } = await signedIn()
    const client = await registerClient()
    const { body } = await post('/token', { username: user.email, password: FACTORY_PASSWORD })
    await useConfig({ grantTypes: ['client_credentials'] })
    assert.deepEqual((await revoke(client, body.access_token)).body, { revoked: true })
    assert.isTrue(await opens(body.access_token))
    assert.equal((await revoke(null, body.access_token)).body.error, 'invalid_client')
  })

  test('a bound token without client authentication is left alone, password grant or not', async ({
    assert,
  }) => {
    await useConfig({ grantTypes: ALL_GRANTS })
    const { tokens } = await granted()
    assert.deepEqual((await revoke(null, tokens.refresh_token)).body, { revoked: true })
    assert.isTrue(await opens(tokens.access_token))
  })

  test('personal access tokens are their user’s to revoke', async ({ assert }) => {
    await useConfig({ grantTypes: ALL_GRANTS })
    const { visitor } = await signedIn()
    const created = await visitor.send('/oauth/personal-access-tokens', { name: 'script' })
    const { access_token: token } = (await created.json()) as any
    await revoke(await registerClient(), token)
    await revoke(null, token)
    assert.isTrue(await opens(token))
  })

  test('needs no CSRF token, even with a session cookie', async ({ assert }) => {
    const { visitor, client, tokens } = await granted()
    for (const [path, fields] of [
      ['/oauth/introspect', { token: tokens.access_token }],
      ['/oauth/token', { grant_type: 'client_credentials' }],
      ['/oauth/revoke', { token: tokens.access_token }],
    ] as const) {
      const response = await visitor.post(path, {
        form: { ...fields, ...credentials(client) } as Record<string, string>,
      })
      assert.equal(response.status, 200)
    }
    assert.lengthOf(await db.from('oauth_refresh_tokens').whereNull('revoked_at'), 0)
  })
})
