import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import {
  isolate,
  obtainCode,
  obtainTokens,
  opens,
  postToken,
  read,
  redemption,
  refreshing,
  registerClient,
  granted,
} from '#starter/helpers/oauth'
import { recordStatements } from '#starter/helpers/statements'
import { travel } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

test.group('/oauth/tokens', (group) => {
  group.each.setup(isolate)

  const list = async (visitor: Visitor) => read(await visitor.get('/oauth/tokens'))
  const remove = (visitor: Visitor, jti = '') =>
    visitor.request('DELETE', `/oauth/tokens${jti && `/${jti}`}`, { csrf: true })
  const jtiOf = (token: string) => decodeJwt(token).jti!

  test('GET lists the user’s access tokens, in epoch seconds', async ({ assert }) => {
    const { visitor } = await signedIn()
    const stranger = await signedIn()
    const client = await registerClient({ name: 'A client' })
    const tokens = await obtainTokens(visitor, client)
    await obtainTokens(stranger.visitor, client)
    await visitor.send('/oauth/personal-access-tokens', { name: 'script' })

    const { status, headers, body } = await list(visitor)
    const { jti, iat, exp } = decodeJwt(tokens.access_token)
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.deepEqual(body, [
      {
        jti,
        client_id: client.id,
        client_name: 'A client',
        scopes: ['posts:read', 'posts:write'],
        created_at: iat,
        expires_at: exp,
        active: true,
      },
    ])
  })

  test('GET reads the names of all clients at once', async ({ assert }) => {
    const { visitor } = await signedIn()
    for (const name of ['One', 'Two', 'Three']) {
      await obtainTokens(visitor, await registerClient({ name }))
    }
    const statements = await recordStatements(() => list(visitor))
    assert.lengthOf(
      statements.filter((sql) => /oauth_clients/.test(sql)),
      1
    )
  })

  test('a revoked and an expired token are not active', async ({ assert }) => {
    const { visitor, tokens } = await granted()
    await remove(visitor, jtiOf(tokens.access_token))
    assert.isFalse((await list(visitor)).body[0].active)
    await obtainTokens(visitor, await registerClient())
    travel(3600)
    for (const token of (await list(visitor)).body) {
      assert.isFalse(token.active)
    }
  })

  test('DELETE with a jti revokes that token with its refresh chain', async ({ assert }) => {
    const { visitor, client, tokens } = await granted()
    const others = await obtainTokens(visitor, client)
    const response = await remove(visitor, jtiOf(tokens.access_token))
    assert.equal(response.status, 204)
    assert.equal(await response.text(), '')
    assert.isFalse(await opens(tokens.access_token))
    const { body } = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(body.error, 'invalid_grant')
    assert.isTrue(await opens(others.access_token))
    assert.equal((await postToken(refreshing(client, others.refresh_token))).status, 200)
  })

  test('DELETE of an expired token ends the refresh token behind it', async ({ assert }) => {
    const { visitor, client, tokens } = await granted()
    const { jti } = decodeJwt(tokens.access_token)
    await db.from('oauth_access_tokens').where('jti', jti!).update({ expires_at: 1 })
    assert.equal((await remove(visitor, jti)).status, 204)
    const { body } = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(body.error, 'invalid_grant')
  })

  test('DELETE of an unknown, foreign or personal token is 204 and changes nothing', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const stranger = await signedIn()
    const client = await registerClient()
    const foreign = await obtainTokens(stranger.visitor, client)
    const created = await visitor.send('/oauth/personal-access-tokens', { name: 'script' })
    const { access_token: personal } = (await created.json()) as any
    for (const jti of ['unknown', jtiOf(foreign.access_token), jtiOf(personal)]) {
      assert.equal((await remove(visitor, jti)).status, 204)
    }
    assert.isTrue(await opens(foreign.access_token))
    assert.isTrue(await opens(personal))
  })

  test('DELETE revokes all of the user’s tokens with their chains, and pending codes', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const stranger = await signedIn()
    const client = await registerClient()
    const tokens = [
      await obtainTokens(visitor, client),
      await obtainTokens(visitor, await registerClient()),
    ]
    const code = await obtainCode(visitor, client)
    const foreign = await obtainTokens(stranger.visitor, client)
    const created = await visitor.send('/oauth/personal-access-tokens', { name: 'script' })
    const { access_token: personal } = (await created.json()) as any

    assert.equal((await remove(visitor)).status, 204)
    for (const { access_token: token } of tokens) {
      assert.isFalse(await opens(token))
    }
    const { body } = await postToken(refreshing(client, tokens[0]!.refresh_token))
    assert.equal(body.error, 'invalid_grant')
    assert.equal((await postToken(redemption(client, code))).body.error, 'invalid_grant')
    assert.isTrue(await opens(foreign.access_token))
    assert.isTrue(await opens(personal))
    assert.equal((await remove(visitor)).status, 204)
  })

  test('needs a signed-in user, and the CSRF token for DELETE', async ({ assert }) => {
    const { visitor, tokens } = await granted()
    for (const [method, path] of [
      ['GET', '/oauth/tokens'],
      ['DELETE', '/oauth/tokens'],
      ['DELETE', '/oauth/tokens/x'],
    ]) {
      const response = await new Visitor().request(method!, path!)
      assert.equal(response.status, 401)
      assert.equal((await read(response)).body.error, 'invalid_session')
    }
    const forged = await visitor.request('DELETE', '/oauth/tokens')
    assert.equal(forged.status, 403)
    assert.isTrue(await opens(tokens.access_token))
  })
})
