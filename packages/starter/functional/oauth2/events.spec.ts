import emitter from '@adonisjs/core/services/emitter'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest, test } from '@japa/runner'
import { decodeJwt } from 'jose'

import {
  authorizationServer,
  authorize,
  credentials,
  isolate,
  obtainCode,
  obtainTokens,
  post,
  postToken,
  redemption,
  refreshing,
  registerClient,
  granted,
} from '#starter/helpers/oauth'
import { signedIn } from '#starter/helpers/visitor'

type Recorded = [name: string, event: Record<string, unknown>]

/** Records the events of the server until the test ends; its refusals have tests of their own. */
function recordEvents(): Recorded[] {
  const events: Recorded[] = []
  const stop = emitter.onAny((name, event) => {
    if (String(name).startsWith('oauth2:') && name !== 'oauth2:refused') {
      events.push([String(name), event])
    }
  })
  getActiveTest()!.cleanup(() => stop())
  return events
}

test.group('OAuth events', (group) => {
  group.each.setup(isolate)

  test('tell of every step, and never a secret', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const events = recordEvents()
    const userId = String(user.id)

    const client = await registerClient({ name: 'A client' })
    await authorize(visitor, client, { approved: false })
    const grant = await obtainCode(visitor, client)
    const { body: first } = await postToken(redemption(client, grant))
    const { body: second } = await postToken(refreshing(client, first.refresh_token))
    await post('/oauth/revoke', { token: second.access_token, ...credentials(client) })
    await postToken(refreshing(client, first.refresh_token))
    await postToken(redemption(client, grant))
    await visitor.request('DELETE', '/oauth/tokens', { csrf: true })

    const clientId = client.id
    const scopes = ['posts:read', 'posts:write']
    const consent = { clientId, userId, scopes, resource: null }
    const jti = (token: string) => decodeJwt(token).jti
    assert.deepEqual(events, [
      ['oauth2:client_registered', { clientId, name: 'A client', confidential: true }],
      ['oauth2:consent_denied', consent],
      ['oauth2:consent_given', consent],
      [
        'oauth2:token_issued',
        { grantType: 'authorization_code', jti: jti(first.access_token), ...consent },
      ],
      ['oauth2:token_refreshed', { jti: jti(second.access_token), ...consent }],
      ['oauth2:token_revoked', { jti: jti(second.access_token), clientId, userId }],
      ['oauth2:reuse_detected', { kind: 'refresh_token', clientId, userId }],
      ['oauth2:reuse_detected', { kind: 'authorization_code', clientId, userId }],
      ['oauth2:token_revoked', { jti: null, clientId: null, userId }],
    ])

    const told = JSON.stringify(events)
    for (const secret of [
      client.secret!,
      grant.code,
      grant.verifier,
      first.refresh_token,
      first.access_token,
      second.refresh_token,
      second.access_token,
    ]) {
      assert.notInclude(told, secret)
    }
  })

  test('tell of a token that its client or its user revokes', async ({ assert }) => {
    const { user, visitor, client, tokens } = await granted()
    const { jti } = decodeJwt(tokens.access_token)
    const events = recordEvents()
    await post('/oauth/revoke', { token: tokens.refresh_token, ...credentials(client) })
    await visitor.request('DELETE', `/oauth/tokens/${jti}`, { csrf: true })
    const revoked = { jti, clientId: client.id, userId: String(user.id) }
    assert.deepEqual(events, [
      ['oauth2:token_revoked', revoked],
      ['oauth2:token_revoked', revoked],
    ])
  })

  test('tell of a user who disconnects a client, and of a client that is revoked', async ({
    assert,
  }) => {
    const { user, visitor } = await signedIn()
    const client = await registerClient()
    await obtainTokens(visitor, client)
    const { connectedApps, clients } = await authorizationServer()
    const owner = { userId: String(user.id), provider: 'users' }
    const [app] = await connectedApps.list(owner)
    const events = recordEvents()
    await connectedApps.disconnect(owner, app!.id)
    await clients.revoke(client.id)
    const revoked = { jti: null, clientId: client.id }
    assert.deepEqual(events, [
      ['oauth2:token_revoked', { ...revoked, userId: owner.userId }],
      ['oauth2:token_revoked', { ...revoked, userId: null }],
    ])
  })

  test('tell of client credentials and of personal access tokens', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const client = await registerClient()
    const events = recordEvents()
    await postToken({ grant_type: 'client_credentials', ...credentials(client) })
    const create = () => visitor.send('/oauth/personal-access-tokens', { name: 'script' })
    const created = await create()
    const { jti } = (await created.json()) as any
    await create()
    await visitor.request('DELETE', `/oauth/personal-access-tokens/${jti}`, { csrf: true })
    await visitor.request('DELETE', '/oauth/personal-access-tokens', { csrf: true })
    assert.deepEqual(
      events.map(([name, { grantType, userId }]) => [name, grantType, userId]),
      [
        ['oauth2:token_issued', 'client_credentials', null],
        ['oauth2:token_issued', 'personal_access_token', String(user.id)],
        ['oauth2:token_issued', 'personal_access_token', String(user.id)],
        ['oauth2:token_revoked', undefined, String(user.id)],
        ['oauth2:token_revoked', undefined, String(user.id)],
      ]
    )
  })

  test('tell of no end where nothing has ended', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const client = await registerClient()
    const { clients } = await authorizationServer()
    await clients.revoke(client.id)
    const events = recordEvents()
    await clients.revoke(client.id)
    await visitor.request('DELETE', '/oauth/tokens', { csrf: true })
    await visitor.request('DELETE', '/oauth/personal-access-tokens', { csrf: true })
    assert.lengthOf(events, 0)

    await obtainTokens(visitor, await registerClient())
    await db.from('oauth_grants').delete()
    events.length = 0
    await visitor.request('DELETE', '/oauth/tokens', { csrf: true })
    const all = { jti: null, clientId: null, userId: String(user.id) }
    assert.deepEqual(events, [['oauth2:token_revoked', all]])
  })

  test('a listener that fails does not fail the request', async ({ assert }) => {
    const client = await registerClient()
    const stop = emitter.on('oauth2:token_issued', async () => {
      throw new Error('a listener failed')
    })
    getActiveTest()!.cleanup(() => stop())
    const { status } = await postToken({
      grant_type: 'client_credentials',
      ...credentials(client),
    })
    assert.equal(status, 200)
  })

  test('a refused request tells nothing but the refusal', async ({ assert }) => {
    const client = await registerClient()
    const events = recordEvents()
    await postToken({ grant_type: 'client_credentials', ...credentials(client), scope: 'nonsense' })
    await postToken({ grant_type: 'client_credentials', client_id: client.id })
    assert.lengthOf(events, 0)
  })
})
