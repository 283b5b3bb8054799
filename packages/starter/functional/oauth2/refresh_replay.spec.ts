import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { createKey, createProof, postWithProof, useDpop } from '#starter/helpers/dpop'
import {
  REDIRECT_URI,
  type TestClient,
  authorizationServer,
  isolate,
  obtainTokens,
  opens,
  postToken,
  refreshing,
  registerClient,
  registerItself,
  useConfig,
} from '#starter/helpers/oauth'
import { stopClock, travel } from '#starter/helpers/time'
import { signedIn } from '#starter/helpers/visitor'

async function connect(client: TestClient) {
  const { visitor } = await signedIn()
  return obtainTokens(visitor, client, { scope: 'posts:read posts:write' })
}

async function livingPairs() {
  const living = { revoked_at: null }
  const refresh = await db.from('oauth_refresh_tokens').where({ ...living, rotated_at: null })
  const access = await db.from('oauth_access_tokens').where(living)
  return [refresh.length, access.length]
}

test.group('Replay window of refresh tokens', (group) => {
  group.each.setup(isolate)

  test('a client that registered itself gets the same pair again for 60 seconds', async ({
    assert,
  }) => {
    const client = await registerItself('Its own', [REDIRECT_URI])
    const tokens = await connect(client)
    const advance = stopClock()
    const first = await postToken(refreshing(client, tokens.refresh_token))
    advance(59)
    const again = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(again.status, 200)
    assert.deepEqual(again.body, { ...first.body, expires_in: first.body.expires_in - 59 })
    assert.isTrue(await opens(again.body.access_token))
    assert.deepEqual(await livingPairs(), [1, 1])
  })

  test('an access token that has expired inside the window is given as expired', async ({
    assert,
  }) => {
    await useConfig({ accessTokenTtl: 30 })
    const client = await registerItself('Its own', [REDIRECT_URI])
    const tokens = await connect(client)
    const advance = stopClock()
    await postToken(refreshing(client, tokens.refresh_token))
    advance(40)
    const { body } = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(body.expires_in, 0)
  })

  test('after the window a replay ends the family', async ({ assert }) => {
    const client = await registerItself('Its own', [REDIRECT_URI])
    const tokens = await connect(client)
    const advance = stopClock()
    const { body } = await postToken(refreshing(client, tokens.refresh_token))
    advance(60)
    const late = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(late.body.error, 'invalid_grant')
    assert.isFalse(await opens(body.access_token))
    assert.equal(
      (await postToken(refreshing(client, body.refresh_token))).body.error,
      'invalid_grant'
    )
  })

  test('after the successor was used, a replay is theft at once', async ({ assert }) => {
    const client = await registerItself('Its own', [REDIRECT_URI])
    const tokens = await connect(client)
    const second = await postToken(refreshing(client, tokens.refresh_token))
    const third = await postToken(refreshing(client, second.body.refresh_token))
    assert.equal(third.status, 200)
    const replayed = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(replayed.body.error, 'invalid_grant')
    assert.deepEqual(await livingPairs(), [0, 0])
  })

  test('calls with the access token of the successor do not end the window', async ({ assert }) => {
    const client = await registerItself('Its own', [REDIRECT_URI])
    const tokens = await connect(client)
    const { body } = await postToken(refreshing(client, tokens.refresh_token))
    assert.isTrue(await opens(body.access_token))
    assert.equal((await postToken(refreshing(client, tokens.refresh_token))).status, 200)
  })

  test('of many refreshes at once every one gets the same pair', async ({ assert }) => {
    const client = await registerItself('Its own', [REDIRECT_URI])
    const tokens = await connect(client)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => postToken(refreshing(client, tokens.refresh_token)))
    )
    assert.lengthOf(new Set(answers.map(({ body }) => body.refresh_token)), 1)
    assert.lengthOf(new Set(answers.map(({ body }) => body.access_token)), 1)
    assert.deepEqual(await livingPairs(), [1, 1])
  })

  test('a request that another one overtakes gets the pair of the other', async ({ assert }) => {
    const { tokens: store } = await authorizationServer()
    let overtake: (() => Promise<unknown>) | null = null
    const tokens = new Proxy(store, {
      get(target, name) {
        const member = Reflect.get(target, name)
        if (name !== 'rotate') {
          return typeof member === 'function' ? member.bind(target) : member
        }
        return async (...args: Parameters<typeof store.rotate>) => {
          const other = overtake
          overtake = null
          await other?.()
          return target.rotate(...args)
        }
      },
    })
    await useConfig({}, { tokens })
    const client = await registerItself('Its own', [REDIRECT_URI])
    const held = await connect(client)
    let winner: Awaited<ReturnType<typeof postToken>> | undefined
    overtake = async () => {
      winner = await postToken(refreshing(client, held.refresh_token))
    }
    const overtaken = await postToken(refreshing(client, held.refresh_token))
    assert.equal(winner!.status, 200)
    assert.equal(overtaken.status, 200)
    assert.equal(overtaken.body.access_token, winner!.body.access_token)
    assert.deepEqual(await livingPairs(), [1, 1])
  })

  test('a client of the operator has no window, unless the setting or its own period gives one', async ({
    assert,
  }) => {
    stopClock()
    const replay = async (client: TestClient) => {
      const tokens = await connect(client)
      await postToken(refreshing(client, tokens.refresh_token))
      return (await postToken(refreshing(client, tokens.refresh_token))).status
    }
    const own = async (refreshGracePeriod?: number) => {
      const { clients } = await authorizationServer()
      const [client, secret] = await clients.register('C', [REDIRECT_URI], false, [], [], null, {
        refreshGracePeriod,
      })
      return { client, id: client.id, secret }
    }
    assert.equal(await replay(await registerClient()), 400)
    assert.equal(await replay(await own()), 400)
    assert.equal(await replay(await own(1)), 200)

    await useConfig({ refreshTokenGracePeriod: 10, sourceClientGracePeriod: 0 })
    assert.equal(await replay(await registerClient()), 200)
    assert.equal(await replay(await own(0)), 400)
    assert.equal(await replay(await registerItself('Its own', [REDIRECT_URI])), 400)
  })

  test('another client inside the window ends the family', async ({ assert }) => {
    const client = await registerItself('Its own', [REDIRECT_URI])
    const other = await registerItself('Its own', [REDIRECT_URI])
    const tokens = await connect(client)
    const { body } = await postToken(refreshing(client, tokens.refresh_token))
    const foreign = await postToken(refreshing(other, tokens.refresh_token))
    assert.equal(foreign.body.error, 'invalid_grant')
    assert.isFalse(await opens(body.access_token))
  })

  test('a replay that asks for fewer scopes than the pair has is refused, and ends nothing', async ({
    assert,
  }) => {
    const client = await registerItself('Its own', [REDIRECT_URI])
    const tokens = await connect(client)
    const { body } = await postToken(refreshing(client, tokens.refresh_token))
    const narrow = { scope: 'posts:read' }
    const answer = await postToken(refreshing(client, tokens.refresh_token, narrow))
    assert.equal(answer.body.error, 'invalid_grant')
    assert.isTrue(await opens(body.access_token))
  })

  test('after the family was revoked there is no replay', async ({ assert }) => {
    const client = await registerItself('Its own', [REDIRECT_URI])
    const tokens = await connect(client)
    const { body } = await postToken(refreshing(client, tokens.refresh_token))
    const server = await authorizationServer()
    const [row] = await db.from('oauth_refresh_tokens').select('family_id')
    await server.tokens.revokeFamily(row.family_id, Date.now())
    const answer = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(answer.body.error, 'invalid_grant')
    assert.isFalse(await opens(body.access_token))
  })

  test('a pair that is bound to a key is given again for a proof of this key alone', async ({
    assert,
  }) => {
    const server = await useDpop()
    const [registered] = await server.clients.register('C', [REDIRECT_URI], false, [], [], null, {
      refreshGracePeriod: 60,
    })
    const client = { client: registered, id: registered.id, secret: null }
    const [key, other] = [await createKey(), await createKey()]
    const tokens = await connect(client)
    const first = await postWithProof(
      refreshing(client, tokens.refresh_token),
      await createProof(key)
    )
    const bound = refreshing(client, first.body.refresh_token)
    const second = await postWithProof(bound, await createProof(key))
    const again = await postWithProof(bound, await createProof(key))
    assert.equal(again.body.access_token, second.body.access_token)
    const invalid = await postWithProof(bound, 'no proof')
    assert.equal(invalid.body.error, 'invalid_dpop_proof')
    assert.equal((await postWithProof(bound, await createProof(key))).status, 200)

    const stolen = await postWithProof(bound, await createProof(other))
    assert.equal(stolen.body.error, 'invalid_grant')
    assert.deepEqual(await livingPairs(), [0, 0])
  })

  test('the row has nothing of the pair in plain text, and nothing at all after the window', async ({
    assert,
  }) => {
    const client = await registerItself('Its own', [REDIRECT_URI])
    const tokens = await connect(client)
    const { body } = await postToken(refreshing(client, tokens.refresh_token))
    const kept = () => db.from('oauth_refresh_tokens').whereNotNull('sealed_successor')
    const rows = JSON.stringify(await kept())
    assert.lengthOf(await kept(), 1)
    for (const secret of [tokens.refresh_token, body.refresh_token, body.access_token]) {
      assert.notInclude(rows, secret)
      assert.notInclude(rows, Buffer.from(secret).toString('base64url'))
    }
    travel(61)
    await (await authorizationServer()).purge()
    assert.lengthOf(await kept(), 0)
  })

  test('without a window the row keeps nothing of the pair', async ({ assert }) => {
    const client = await registerClient({ gracePeriod: 0 })
    const tokens = await connect(client)
    assert.equal((await postToken(refreshing(client, tokens.refresh_token))).status, 200)
    assert.lengthOf(await db.from('oauth_refresh_tokens').whereNotNull('sealed_successor'), 0)
  })
})
