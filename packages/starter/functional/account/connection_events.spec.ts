import { test } from '@japa/runner'

import { allow, decide, open } from '#starter/helpers/consent'
import { beginDevice, decideDevice, useDevices } from '#starter/helpers/device'
import {
  RESOURCE,
  authorizationServer,
  authorize,
  isolate,
  obtainTokens,
  registerClient,
} from '#starter/helpers/oauth'
import { eventsSeenBy, mailsTo, typesSeenBy } from '#starter/helpers/security_events'
import { type Visitor, signedIn } from '#starter/helpers/visitor'

/** The security events about apps and tokens that a person sees, the newest first. */
async function changesSeenBy(visitor: Visitor) {
  const events = await eventsSeenBy(visitor)
  return events
    .filter(({ type }) => type !== 'signed_in')
    .map(({ type, details }) => [type, details])
}

test.group('A connected app in the security log', (group) => {
  group.each.setup(isolate)

  test('is there and told by mail, when it was allowed by {way}')
    .with([
      {
        way: 'the consent page',
        approve: (visitor: Visitor, client: any) => allow(visitor, client),
      },
      {
        way: "an application's own page",
        approve: (visitor: Visitor, client: any) => authorize(visitor, client),
      },
      {
        way: 'the page for devices',
        async approve(visitor: Visitor, client: any) {
          await useDevices()
          const device = await beginDevice(client)
          await decideDevice(visitor, device.user_code)
        },
      },
    ])
    .run(async ({ assert }, { approve }) => {
      const { visitor, user } = await signedIn()
      const client = await registerClient({ name: 'A calendar' })
      const subjects = await mailsTo(user.email, () => approve(visitor, client))
      assert.lengthOf(subjects, 1)
      assert.include(subjects[0], 'An app was connected')
      assert.deepEqual(await changesSeenBy(visitor), [['app_connected', { name: 'A calendar' }]])
    })

  test('a consent that is remembered, widened or given again is no new connection', async ({
    assert,
  }) => {
    const { visitor, user } = await signedIn()
    const client = await registerClient()
    await allow(visitor, client, { scope: 'posts:read' })
    const subjects = await mailsTo(user.email, async () => {
      const remembered = await open(visitor, client, { scope: 'posts:read' })
      assert.equal(remembered.status, 303)
      await allow(visitor, client, { scope: 'posts:read posts:write' })
      await authorize(visitor, client)
    })
    assert.deepEqual(subjects, [])
    assert.deepEqual(await typesSeenBy(visitor), ['app_connected', 'signed_in'])
  })

  test('the same app for another resource is another connection', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    await obtainTokens(visitor, client)
    await obtainTokens(visitor, client, { resource: RESOURCE })
    assert.lengthOf(await changesSeenBy(visitor), 2)
  })

  test('a denied request and a client of our own are none', async ({ assert }) => {
    const { visitor, user } = await signedIn()
    const denied = await open(visitor, await registerClient())
    const server = await authorizationServer()
    const [own] = await server.clients.register(
      'Ours',
      ['https://ours.example.com/back'],
      true,
      [],
      [],
      null,
      {
        firstParty: true,
      }
    )
    const subjects = await mailsTo(user.email, async () => {
      await decide(visitor, await denied.text(), 'deny')
      const unasked = await open(
        visitor,
        { client: own, id: own.id, secret: null },
        {
          redirect_uri: 'https://ours.example.com/back',
        }
      )
      assert.include(unasked.headers.get('location')!, 'code=')
    })
    assert.deepEqual(subjects, [])
    assert.deepEqual(await changesSeenBy(visitor), [])
  })

  test('its end is there: DELETE {path}')
    .with([
      { path: '/account/connected-apps/:id' },
      { path: '/api/connected-apps/:id' },
      { path: '/oauth/tokens' },
    ])
    .run(async ({ assert }, { path }) => {
      const { visitor } = await signedIn()
      await obtainTokens(visitor, await registerClient({ name: 'A calendar' }))
      const response = await visitor.get('/api/connected-apps')
      const { connected_apps: apps } = (await response.json()) as any
      for (const status of [204, path.endsWith(':id') ? 404 : 204]) {
        const address = path.replace(':id', apps[0].id)
        const ended = await visitor.request('DELETE', address, { csrf: true })
        assert.equal(ended.status, status)
      }
      assert.deepEqual(await changesSeenBy(visitor), [
        ['app_disconnected', { name: 'A calendar' }],
        ['app_connected', { name: 'A calendar' }],
      ])
    })
})

test.group('Personal access tokens in the security log', (group) => {
  group.each.setup(isolate)

  test('the end of all of them is one event, with their number', async ({ assert }) => {
    const { visitor } = await signedIn()
    const remove = () => visitor.request('DELETE', '/oauth/personal-access-tokens', { csrf: true })
    await remove()
    assert.deepEqual(await changesSeenBy(visitor), [])
    for (const name of ['One', 'Two']) {
      await visitor.send('/oauth/personal-access-tokens', { name })
    }
    assert.equal((await remove()).status, 204)
    assert.deepEqual((await changesSeenBy(visitor))[0], ['tokens_revoked', { count: 2 }])
  })
})
