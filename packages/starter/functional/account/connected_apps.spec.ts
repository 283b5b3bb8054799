import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { ApiToken } from '#kit/api_token/facade'
import type { AuthorizationServer } from '#kit/oauth2/authorization_server'
import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import { HTML, allow, openPending } from '#starter/helpers/consent'
import {
  RESOURCE,
  authorizationServer,
  createPkce,
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
import { meetForTest } from '#starter/helpers/replace'
import { typesSeenBy } from '#starter/helpers/security_events'
import { stopClock } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const PAGE = '/account/connected-apps'

const list = async (visitor: Visitor, path = PAGE) => read(await visitor.get(path))

const end = async (visitor: Visitor, id: string, path = PAGE) =>
  read(await visitor.request('DELETE', `${path}/${id}`, { csrf: true }))

test.group('Connected apps', (group) => {
  group.each.setup(isolate)

  test('lists what the user has allowed, newest first', async ({ assert }) => {
    stopClock()
    const { visitor } = await signedIn()
    const client = await registerClient({ name: 'A client' })
    await obtainTokens(visitor, client, { scope: 'posts:read', resource: RESOURCE })
    for (const path of [PAGE, '/api/connected-apps']) {
      const { status, headers, body } = await list(visitor, path)
      assert.equal(status, 200)
      assert.equal(headers.get('cache-control'), 'no-store')
      const [connected] = body.connected_apps
      assert.equal(connected.created_at, Date.now() / 1000)
      assert.deepEqual(body.connected_apps, [
        {
          id: connected.id,
          client_id: client.id,
          client_name: 'A client',
          client_host: null,
          redirect_host: 'client.example.com',
          resource: RESOURCE,
          scopes: ['posts:read'],
          context: null,
          context_name: null,
          created_at: connected.created_at,
          last_used_at: null,
        },
      ])
    }
  })

  test('a step-up widens the entry, and another resource is another entry', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    await obtainTokens(visitor, client, { scope: 'posts:read' })
    await obtainTokens(visitor, client, { scope: 'posts:write' })
    await obtainTokens(visitor, client, { scope: 'posts:read', resource: RESOURCE })
    const { body } = await list(visitor)
    const scopes = body.connected_apps.map((connected: any) => connected.scopes)
    assert.sameDeepMembers(scopes, [['posts:read', 'posts:write'], ['posts:read']])
  })

  test('the use of a token is noted, once a minute at most', async ({ assert }) => {
    const advance = stopClock()
    const { visitor, tokens } = await granted()
    const server = await authorizationServer()
    const lastUsedAt = async () => {
      await server.usedGrants.settled()
      const { body } = await list(visitor)
      return body.connected_apps[0].last_used_at as number | null
    }
    assert.isNull(await lastUsedAt())
    assert.isTrue(await opens(tokens.access_token))
    const used = await lastUsedAt()
    assert.equal(used, Math.floor(Date.now() / 1000))

    advance(59)
    assert.isTrue(await opens(tokens.access_token))
    assert.equal(await lastUsedAt(), used)
    advance(1)
    assert.isTrue(await opens(tokens.access_token))
    assert.equal(await lastUsedAt(), used! + 60)
  })

  for (const path of [PAGE, '/api/connected-apps']) {
    test(`DELETE ${path}/:id ends access tokens, refresh tokens and codes at once`, async ({
      assert,
    }) => {
      const { visitor, client, tokens } = await granted()
      const code = await obtainCode(visitor, client)
      const other = await obtainTokens(visitor, await registerClient())
      const { body } = await list(visitor)
      const own = body.connected_apps.find((one: any) => one.client_id === client.id)

      const { status, body: nothing } = await end(visitor, own.id, path)
      assert.equal(status, 204)
      assert.isNull(nothing)
      assert.isFalse(await opens(tokens.access_token))
      for (const fields of [redemption(client, code), refreshing(client, tokens.refresh_token)]) {
        const answer = await postToken(fields)
        assert.equal(answer.status, 400)
        assert.equal(answer.body.error, 'invalid_grant')
      }
      assert.isTrue(await opens(other.access_token))
      assert.lengthOf((await list(visitor)).body.connected_apps, 1)
      assert.equal((await end(visitor, own.id, path)).status, 404)
    })
  }

  test("another user's connection is unknown, and goes on", async ({ assert }) => {
    const [ann, bob] = [await signedIn(), await signedIn()]
    const tokens = await obtainTokens(ann.visitor, await registerClient())
    const { body } = await list(ann.visitor)
    assert.deepEqual((await list(bob.visitor)).body.connected_apps, [])
    const { status } = await end(bob.visitor, body.connected_apps[0].id)
    assert.equal(status, 404)
    assert.isTrue(await opens(tokens.access_token))
    for (const id of ['x', '%00', "'"]) {
      assert.equal((await end(bob.visitor, id)).status, 404)
    }
  })

  test('needs a session, and for a disconnect the CSRF token', async ({ assert }) => {
    const { visitor, tokens } = await granted()
    const { body } = await list(visitor)
    const path = `${PAGE}/${body.connected_apps[0].id}`
    assert.equal((await visitor.request('DELETE', path)).status, 403)
    assert.equal((await visitor.post(`${path}/disconnect`, { form: {} })).status, 403)
    assert.equal((await new Visitor().get(PAGE)).status, 401)
    const byToken = { headers: { authorization: `Bearer ${tokens.access_token}` } }
    assert.equal((await new Visitor().get(PAGE, byToken)).status, 401)
    assert.equal((await new Visitor().request('DELETE', path, byToken)).status, 401)
    assert.isTrue(await opens(tokens.access_token))
  })

  test('a client that was revoked is no longer there', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    await obtainTokens(visitor, client)
    const server = await authorizationServer()
    await server.clients.revoke(client.id)
    assert.deepEqual((await list(visitor)).body.connected_apps, [])
    const [grant] = await db.from('oauth_grants')
    assert.isNotNull(grant.revoked_at)

    await db.from('oauth_grants').update({ revoked_at: null })
    assert.deepEqual((await list(visitor)).body.connected_apps, [])
  })

  test('the page shows and disconnects', async ({ assert }) => {
    const { visitor } = await signedIn()
    const empty = await visitor.get(PAGE, { headers: HTML })
    assert.include(await empty.text(), 'You have not connected any apps yet.')

    const client = await registerClient({ name: '<b>Evil & co' })
    await obtainTokens(visitor, client)
    const page = await (await visitor.get(PAGE, { headers: HTML })).text()
    assert.include(page, '&lt;b&gt;Evil &amp; co')
    assert.notInclude(page, '<b>Evil')
    assert.include(page, 'Read your posts')
    const action = /action="(\/account\/connected-apps\/\w+\/disconnect)"/.exec(page)![1]!
    const done = await visitor.post(action, { form: { sure: '1' }, headers: HTML, csrf: true })
    assert.equal(done.headers.get('location'), PAGE)
    const after = await (await visitor.get(PAGE, { headers: HTML })).text()
    assert.include(after, 'The app has been disconnected.')
    assert.include(after, 'You have not connected any apps yet.')
  })

  test('a deleted account leaves no grant that works', async ({ assert }) => {
    const { visitor, tokens } = await granted()
    const { status } = await visitor.send('/account/delete', { password: FACTORY_PASSWORD })
    assert.isBelow(status, 300)
    assert.isFalse(await opens(tokens.access_token))
    const [grant] = await db.from('oauth_grants')
    assert.isNotNull(grant.revoked_at)
  })
})

test.group('The grant of a request', (group) => {
  group.each.setup(isolate)

  test('ctx.auth.context.grant has what the application gave at the approval', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { verifier, challenge } = createPkce()
    const handle = await openPending(visitor, client, { code_challenge: challenge })
    const approved = await read(
      await visitor.send(`/oauth/authorizations/${handle}/approve`, { context: { workspace: 7 } })
    )
    const code = new URL(approved.body.redirect_to).searchParams.get('code')!
    const first = await postToken(redemption(client, { code, verifier }))
    const second = await postToken(refreshing(client, first.body.refresh_token))
    const [{ id }] = await db.from('oauth_grants')
    assert.deepEqual(await grantOf(second.body.access_token), { id, context: { workspace: 7 } })

    const { body } = await list(visitor)
    assert.deepEqual(body.connected_apps[0].context, { workspace: 7 })
  })

  test('it is null for a token that nobody approved', async ({ assert }) => {
    const client = await registerClient()
    const { body } = await postToken({
      grant_type: 'client_credentials',
      client_id: client.id,
      client_secret: client.secret,
    })
    assert.isNull(await grantOf(body.access_token))
    assert.lengthOf(await db.from('oauth_grants'), 0)
  })

  test('without a context it has the id alone', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { verifier, challenge } = createPkce()
    const location = await allow(visitor, client, { code_challenge: challenge })
    const code = location.searchParams.get('code')!
    const { body } = await postToken(redemption(client, { code, verifier }))
    assert.containSubset(await grantOf(body.access_token), { context: null })
  })
})

/** The grant that a guard finds for an access token. */
async function grantOf(accessToken: string) {
  const ctx = await testUtils.createHttpContext()
  ctx.request.request.headers.authorization = `Bearer ${accessToken}`
  await ctx.auth.resolveUsing(['oauth'])
  return ctx.auth.context!.grant
}

test.group('What two requests end at once', (group) => {
  group.each.setup(isolate)

  test('is noted once: {method} {path}')
    .with([
      {
        ...{ method: 'DELETE', path: '/oauth/tokens', type: 'app_disconnected' },
        where: (server: AuthorizationServer) => ({ owner: server.connectedApps, name: 'list' }),
      },
      {
        ...{ method: 'DELETE', path: '/oauth/personal-access-tokens', type: 'tokens_revoked' },
        where: (server: AuthorizationServer) => ({
          owner: server.personalAccessTokens,
          name: 'list',
        }),
      },
      {
        ...{ method: 'DELETE', path: '/oauth/personal-access-tokens/:jti', type: 'token_revoked' },
        where: (server: AuthorizationServer) => ({ owner: server.tokens, name: 'findAccessToken' }),
      },
      {
        ...{ method: 'POST', path: '/account/access/end', type: 'access_ended' },
        where: (server: AuthorizationServer) => ({ owner: server.connectedApps, name: 'list' }),
      },
    ] as const)
    .run(async ({ assert }, { method, path, type, where }) => {
      const { visitor, user } = await signedIn()
      await allow(visitor, await registerClient())
      await ApiToken.create(user)
      const token = { json: { name: 'script', scopes: ['posts:read'] }, csrf: true }
      const created = await read(await visitor.post('/oauth/personal-access-tokens', token))
      const { owner, name } = where(await authorizationServer())
      /* Both have found what there is before either ends it. */
      meetForTest<any>(owner, name, { at: 'its end' })
      const url = path.replace(':jti', created.body.jti)
      const send = () => visitor.request(method, url, { json: {}, csrf: true })
      const statuses = (await Promise.all([send(), send()])).map(({ status }) => status)
      assert.isBelow(Math.max(...statuses), 300)
      const types = await typesSeenBy(visitor)
      assert.lengthOf(
        types.filter((seen) => seen === type),
        1
      )
    })
})
