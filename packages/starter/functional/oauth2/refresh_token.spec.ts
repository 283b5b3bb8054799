import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import {
  ALL_GRANTS,
  OTHER_RESOURCE,
  RESOURCE,
  authorizationServer,
  basic,
  obtainTokens,
  opens,
  post,
  postToken,
  refreshing,
  registerClient,
  useConfig,
  isolate,
  granted,
} from '#starter/helpers/oauth'
import { recordStatements } from '#starter/helpers/statements'
import { stopClock, travel } from '#starter/helpers/time'
import { signedIn } from '#starter/helpers/visitor'

test.group('POST /oauth/token, refresh_token', (group) => {
  group.each.setup(isolate)

  test('rotates: a new pair in the same family, the old access token revoked', async ({
    assert,
  }) => {
    const { client, tokens } = await granted()
    const { status, headers, body } = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.sameMembers(Object.keys(body), [
      'access_token',
      'token_type',
      'expires_in',
      'scope',
      'refresh_token',
    ])
    assert.notEqual(body.refresh_token, tokens.refresh_token)
    assert.isTrue(await opens(body.access_token))
    assert.isFalse(await opens(tokens.access_token))
    const families = await db.from('oauth_refresh_tokens').select('family_id')
    assert.lengthOf(families, 2)
    assert.equal(families[0].family_id, families[1].family_id)
  })

  test('the rows of a rotation sort behind those of before, so that indexes are written at their end', async ({
    assert,
  }) => {
    const { client, tokens } = await granted()
    let token = tokens.refresh_token
    for (let rotations = 0; rotations < 5; rotations++) {
      travel(1)
      const { body } = await postToken(refreshing(client, token))
      token = body.refresh_token
    }
    for (const [table, column] of [
      ['oauth_access_tokens', 'jti'],
      ['oauth_refresh_tokens', 'id'],
      ['oauth_refresh_tokens', 'access_token_id'],
    ] as const) {
      const rows = await db.from(table).orderBy('created_at')
      const identifiers = rows.map((row) => row[column])
      assert.lengthOf(identifiers, 6)
      assert.deepEqual(identifiers.toSorted(), identifiers)
    }
  })

  test('a public client refreshes with its client_id alone', async ({ assert }) => {
    const { client, tokens } = await granted({ confidential: false })
    assert.equal((await postToken(refreshing(client, tokens.refresh_token))).status, 200)
  })

  test('a missing refresh token is invalid_request, an unknown one invalid_grant', async ({
    assert,
  }) => {
    const client = await registerClient()
    assert.equal((await postToken(refreshing(client, ''))).body.error, 'invalid_request')
    assert.equal((await postToken(refreshing(client, 'x'.repeat(43)))).body.error, 'invalid_grant')
  })

  for (const [title, fields, error] of [
    ['no client_id', { client_id: undefined, client_secret: undefined }, 'invalid_client'],
    ['a secret alone', { client_id: undefined }, 'invalid_client'],
    ['no secret', { client_secret: undefined }, 'invalid_client'],
    ['a wrong secret', { client_secret: 'wrong' }, 'invalid_client'],
    ['an unknown client', { client_id: 'unknown' }, 'invalid_client'],
    ['wider scopes', { scope: 'posts:read posts:write' }, 'invalid_grant'],
    ['an unknown scope', { scope: 'nonsense' }, 'invalid_scope'],
    ['another resource', { resource: OTHER_RESOURCE }, 'invalid_grant'],
    ['an unlisted resource', { resource: 'https://other.example.com' }, 'invalid_target'],
  ] as const) {
    test(`${title}: ${error}, and the token lives on`, async ({ assert }) => {
      const { client, tokens } = await granted({}, { scope: 'posts:read', resource: RESOURCE })
      const good = refreshing(client, tokens.refresh_token)
      const { status, body } = await postToken({ ...good, ...fields })
      assert.equal(status, error === 'invalid_client' ? 401 : 400)
      assert.equal(body.error, error)
      assert.equal((await postToken(good)).status, 200)
    })
  }

  test('a resource that was taken out of the settings: invalid_target, until it is back', async ({
    assert,
  }) => {
    const { client, tokens } = await granted({}, { resource: RESOURCE })
    const { config } = await authorizationServer()
    const [others, all] = [[OTHER_RESOURCE], [...config.given.resources!]]
    await useConfig({ resources: others })
    const good = refreshing(client, tokens.refresh_token)
    assert.equal((await postToken(good)).body.error, 'invalid_target')
    await useConfig({ resources: all })
    assert.equal((await postToken(good)).status, 200)
  })

  test('another client: invalid_grant, and the family is left intact', async ({ assert }) => {
    const { client, tokens } = await granted()
    for (const other of [await registerClient(), await registerClient({ confidential: false })]) {
      const { body } = await postToken(refreshing(other, tokens.refresh_token))
      assert.equal(body.error, 'invalid_grant')
    }
    assert.isTrue(await opens(tokens.access_token))
    assert.equal((await postToken(refreshing(client, tokens.refresh_token))).status, 200)
  })

  test('a client that lost the grant is unauthorized_client, and the token lives on', async ({
    assert,
  }) => {
    const { client, tokens } = await granted()
    const clients = db.from('oauth_clients').where('id', client.id)
    await clients.clone().update({ grant_types: '["authorization_code"]' })
    const { body } = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(body.error, 'unauthorized_client')
    await clients.clone().update({ grant_types: '[]' })
    assert.equal((await postToken(refreshing(client, tokens.refresh_token))).status, 200)
  })

  test('a revoked client is invalid_client', async ({ assert }) => {
    const { client, tokens } = await granted()
    await db.from('oauth_clients').where('id', client.id).update({ revoked: true })
    const { status, body } = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(status, 401)
    assert.equal(body.error, 'invalid_client')
  })

  test('narrowing sticks: a later refresh cannot get the scopes back', async ({ assert }) => {
    const { client, tokens } = await granted()
    const narrowed = await postToken(
      refreshing(client, tokens.refresh_token, { scope: 'posts:read' })
    )
    assert.equal(narrowed.body.scope, 'posts:read')
    assert.equal(decodeJwt(narrowed.body.access_token).scope, 'posts:read')
    const widened = await postToken(
      refreshing(client, narrowed.body.refresh_token, { scope: 'posts:read posts:write' })
    )
    assert.equal(widened.body.error, 'invalid_grant')
    const kept = await postToken(refreshing(client, narrowed.body.refresh_token))
    assert.equal(kept.body.scope, 'posts:read')
  })

  test('the resource stays, whether it is repeated or not', async ({ assert }) => {
    const { client, tokens } = await granted({}, { resource: RESOURCE })
    const first = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(decodeJwt(first.body.access_token).aud, RESOURCE)
    const second = await postToken(
      refreshing(client, first.body.refresh_token, { resource: RESOURCE })
    )
    assert.equal(decodeJwt(second.body.access_token).aud, RESOURCE)
  })

  test('a refresh does not bring a resource to a token without one', async ({ assert }) => {
    const { client, tokens } = await granted()
    const { body } = await postToken(
      refreshing(client, tokens.refresh_token, { resource: RESOURCE })
    )
    assert.equal(body.error, 'invalid_grant')
  })

  test('tightening the allow-list leaves granted scopes as they are', async ({ assert }) => {
    const { client, tokens } = await granted()
    await db.from('oauth_clients').where('id', client.id).update({ scopes: '["posts:read"]' })
    const { body } = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(body.scope, 'posts:read posts:write')
  })

  test('a token expires at refresh_token_ttl', async ({ assert }) => {
    const { client, tokens } = await granted()
    const [row] = await db.from('oauth_refresh_tokens')
    assert.equal(Number(row.expires_at) - Number(row.created_at), 1_209_600_000)
    travel(1_209_600)
    const { body } = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(body.error, 'invalid_grant')
  })

  test('a family ends at refreshFamilyTtl, however often it is refreshed', async ({ assert }) => {
    const tick = stopClock()
    await useConfig({ refreshTokenTtl: 60, refreshFamilyTtl: 100 })
    const { client, tokens } = await granted()
    let token = tokens.refresh_token
    for (const [seconds, expected] of [
      [50, 200],
      [40, 200],
      [10, 400],
    ] as const) {
      tick(seconds)
      const { status, body } = await postToken(refreshing(client, token))
      assert.equal(status, expected)
      token = body.refresh_token
    }
  })

  test('an owner that is gone, inactive or another provider’s is invalid_grant, and nothing is consumed', async ({
    assert,
  }) => {
    const { user, client, tokens } = await granted()
    const refresh = () => postToken(refreshing(client, tokens.refresh_token))
    await db.from('users').where('id', user.id).update({ is_active: false })
    assert.equal((await refresh()).body.error, 'invalid_grant')
    await db.from('users').where('id', user.id).update({ is_active: true })
    await db.from('oauth_clients').where('id', client.id).update({ provider: 'others' })
    assert.equal((await refresh()).body.error, 'invalid_grant')
    await db.from('oauth_clients').where('id', client.id).update({ provider: 'users' })
    const { status, body } = await refresh()
    assert.equal(status, 200)
    await db.from('users').where('id', user.id).delete()
    const gone = await postToken(refreshing(client, body.refresh_token))
    assert.equal(gone.body.error, 'invalid_grant')
  })

  test('reuse by the owning client revokes the whole family', async ({ assert }) => {
    const { client, tokens } = await granted()
    const second = await postToken(refreshing(client, tokens.refresh_token))
    const reused = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(reused.status, 400)
    assert.equal(reused.body.error, 'invalid_grant')
    assert.isFalse(await opens(second.body.access_token))
    const after = await postToken(refreshing(client, second.body.refresh_token))
    assert.equal(after.body.error, 'invalid_grant')
  })

  test('reuse by any other authenticated client revokes the whole family', async ({ assert }) => {
    const { client, tokens } = await granted()
    const second = await postToken(refreshing(client, tokens.refresh_token))
    const thief = await registerClient()
    const { body } = await postToken(refreshing(thief, tokens.refresh_token))
    assert.equal(body.error, 'invalid_grant')
    assert.isFalse(await opens(second.body.access_token))
  })

  test('reuse without client_id, or with failing credentials, is invalid_client and leaves the family intact', async ({
    assert,
  }) => {
    const { client, tokens } = await granted()
    const second = await postToken(refreshing(client, tokens.refresh_token))
    const good = refreshing(client, tokens.refresh_token)
    for (const change of [
      { client_id: undefined, client_secret: undefined },
      { client_secret: 'wrong' },
    ]) {
      const { status, body } = await postToken({ ...good, ...change })
      assert.equal(status, 401)
      assert.equal(body.error, 'invalid_client')
    }
    assert.isTrue(await opens(second.body.access_token))
  })

  test('another family of the same user and client is left alone', async ({ assert }) => {
    const { visitor, client, tokens } = await granted()
    const others = await obtainTokens(visitor, client)
    await postToken(refreshing(client, tokens.refresh_token))
    await postToken(refreshing(client, tokens.refresh_token))
    assert.isTrue(await opens(others.access_token))
    assert.equal((await postToken(refreshing(client, others.refresh_token))).status, 200)
  })

  test('reuse is still told after the purge, while the family lives', async ({ assert }) => {
    const { client, tokens } = await granted()
    const server = await useConfig({})
    travel(13 * 24 * 3600)
    const second = await postToken(refreshing(client, tokens.refresh_token))
    travel(2 * 24 * 3600)
    await server.purge()
    await postToken(refreshing(client, tokens.refresh_token))
    const { body } = await postToken(refreshing(client, second.body.refresh_token))
    assert.equal(body.error, 'invalid_grant')
  })

  test('a purge leaves a token until a request that it let in has been answered: the life of an access token', async ({
    assert,
  }) => {
    const advance = stopClock()
    await granted()
    const server = await authorizationServer()
    const purge = async () => {
      await server.purge()
      return db.from('oauth_refresh_tokens')
    }
    const { refreshTokenTtl, accessTokenTtl } = server.config
    advance(refreshTokenTtl + accessTokenTtl - 1)
    assert.lengthOf(await purge(), 1)
    advance(1)
    assert.lengthOf(await purge(), 0)
  })

  test('a token from before families rotates, and its reuse ends what came of it', async ({
    assert,
  }) => {
    const { client, tokens } = await granted()
    await db.from('oauth_refresh_tokens').update({ family_id: null })
    const second = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(second.status, 200)
    const third = await postToken(refreshing(client, second.body.refresh_token))
    assert.equal(third.status, 200)
    await postToken(refreshing(client, tokens.refresh_token))
    assert.isFalse(await opens(third.body.access_token))
  })

  test('after the grace period, and for another client inside it, the family dies', async ({
    assert,
  }) => {
    await useConfig({ refreshTokenGracePeriod: 10 })
    const one = await granted()
    const two = await granted()
    const ofOne = await postToken(refreshing(one.client, one.tokens.refresh_token))
    const ofTwo = await postToken(refreshing(two.client, two.tokens.refresh_token))
    await postToken(refreshing(two.client, one.tokens.refresh_token))
    assert.isFalse(await opens(ofOne.body.access_token))
    travel(11)
    const late = await postToken(refreshing(two.client, two.tokens.refresh_token))
    assert.equal(late.body.error, 'invalid_grant')
    assert.isFalse(await opens(ofTwo.body.access_token))
  })

  test('costs one client read, one read of token and user, and one transaction of four statements or one statement', async ({
    assert,
  }) => {
    const { client, tokens } = await granted()
    const statements = await recordStatements(async () => {
      const { status } = await postToken(
        refreshing(client, tokens.refresh_token, {
          client_id: undefined,
          client_secret: undefined,
        }),
        basic(client.id, client.secret)
      )
      assert.equal(status, 200)
    })
    const own = statements.filter((sql) => !/savepoint|release|begin|commit/i.test(sql))
    assert.lengthOf(
      own.filter((sql) => /oauth_clients/.test(sql)),
      1
    )
    assert.lengthOf(
      own.filter((sql) => /^select/i.test(sql)),
      2
    )
    assert.lengthOf(
      own.filter((sql) => !/^select/i.test(sql)),
      db.connection().dialect.name === 'postgres' ? 1 : 4
    )
  })
})

test.group('Refresh tokens without a client', (group) => {
  group.each.setup(isolate)

  async function unbound() {
    await useConfig({ grantTypes: ALL_GRANTS })
    const { user } = await signedIn()
    const { body } = await post('/token', { username: user.email, password: FACTORY_PASSWORD })
    return body
  }

  test('refresh without client credentials while the password grant is enabled', async ({
    assert,
  }) => {
    const tokens = await unbound()
    const { status, body } = await postToken(refreshing(null, tokens.refresh_token))
    assert.equal(status, 200)
    assert.isTrue(await opens(body.access_token))
  })

  test('with a client: invalid_grant, and the token lives on', async ({ assert }) => {
    const tokens = await unbound()
    const client = await registerClient()
    const { body } = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(body.error, 'invalid_grant')
    assert.equal((await postToken(refreshing(null, tokens.refresh_token))).status, 200)
  })

  test('while the password grant is disabled: invalid_grant', async ({ assert }) => {
    const tokens = await unbound()
    await useConfig({ grantTypes: ['refresh_token'] })
    const { status, body } = await postToken(refreshing(null, tokens.refresh_token))
    assert.equal(status, 400)
    assert.equal(body.error, 'invalid_grant')
  })

  test('reuse without a client revokes the family', async ({ assert }) => {
    const tokens = await unbound()
    const second = await postToken(refreshing(null, tokens.refresh_token))
    const { body } = await postToken(refreshing(null, tokens.refresh_token))
    assert.equal(body.error, 'invalid_grant')
    assert.isFalse(await opens(second.body.access_token))
  })
})
