import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { hashSecret } from '#kit/security/secrets'
import {
  askForDevice,
  beginDevice,
  decideDevice,
  obtainDeviceTokens,
  pollDevice,
  useDevices,
} from '#starter/helpers/device'
import {
  RESOURCE,
  isolate,
  opens,
  postToken,
  refreshing,
  registerClient,
} from '#starter/helpers/oauth'
import { replaceForTest } from '#starter/helpers/replace'
import { stopClock, travel } from '#starter/helpers/time'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const METADATA = '/.well-known/oauth-authorization-server'

test.group('Device authorization (RFC 8628)', (group) => {
  group.each.setup(isolate)

  test('is not there unless its grant is enabled', async ({ assert }) => {
    const client = await registerClient()
    const { visitor } = await signedIn()
    const metadata: any = await (await new Visitor().get(METADATA)).json()
    assert.notProperty(metadata, 'device_authorization_endpoint')
    assert.equal((await visitor.get('/device')).status, 404)
    assert.equal((await visitor.post('/device/approve', { csrf: true })).status, 404)
    assert.equal((await new Visitor().post('/oauth/device_authorization')).status, 404)
    assert.equal((await pollDevice(client, 'x')).body.error, 'unsupported_grant_type')
  })

  test('§3.2: the answer has both codes and the addresses of the page', async ({ assert }) => {
    await useDevices()
    const { status, headers, body } = await askForDevice(
      await registerClient({ confidential: false })
    )
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.match(body.device_code, /^[A-Za-z0-9]{43}$/)
    assert.match(body.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    const page = await serverUrl('/device')
    assert.deepEqual(body, {
      device_code: body.device_code,
      user_code: body.user_code,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${body.user_code}`,
      expires_in: 600,
      interval: 5,
    })
  })

  test('§4: the metadata name the endpoint', async ({ assert }) => {
    await useDevices()
    const metadata: any = await (await new Visitor().get(METADATA)).json()
    const url = await serverUrl('/oauth/device_authorization')
    assert.equal(metadata.device_authorization_endpoint, url)
  })

  test('a device that was allowed gets tokens of its user, under a grant', async ({ assert }) => {
    await useDevices()
    const { visitor, user } = await signedIn()
    const client = await registerClient({ confidential: false })
    const tokens = await obtainDeviceTokens(visitor, client, { resource: RESOURCE })
    assert.equal(tokens.scope, 'posts:read posts:write')
    const claims = decodeJwt(tokens.access_token)
    assert.equal(claims.sub, String(user.id))
    assert.equal(claims.aud, RESOURCE)
    const [grant] = await db.from('oauth_grants').where('client_id', client.id)
    assert.equal(grant.user_id, String(user.id))

    const refreshed = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(refreshed.status, 200)
  })

  test('a part of the scopes can be allowed, and no other', async ({ assert }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const device = await beginDevice(client)
    const allow = (scopes: string[]) =>
      decideDevice(visitor, device.user_code, 'approve', { scopes })
    assert.equal((await allow(['account:read'])).body.error, 'invalid_scope')
    assert.equal((await allow([])).body.error, 'invalid_scope')
    assert.deepEqual((await allow(['posts:read'])).body, { status: 'approved' })
    const { body } = await pollDevice(client, device.device_code)
    assert.equal(body.scope, 'posts:read')
    assert.isTrue(await opens(body.access_token))
  })

  test('§3.5: authorization_pending while nobody has decided, slow_down for early polls', async ({
    assert,
  }) => {
    const tick = stopClock()
    await useDevices()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { device_code: code, user_code: userCode } = await beginDevice(client)
    const poll = async () => (await pollDevice(client, code)).body.error
    assert.equal(await poll(), 'authorization_pending')
    assert.equal(await poll(), 'slow_down')
    tick(10)
    assert.equal(await poll(), 'authorization_pending')
    assert.equal(await poll(), 'slow_down')
    await decideDevice(visitor, userCode)
    assert.equal((await pollDevice(client, code)).status, 200)
  })

  test('§3.5: access_denied after a denial, expired_token after its time', async ({ assert }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const denied = await beginDevice(client)
    const late = await beginDevice(client)
    const answer = await decideDevice(visitor, denied.user_code, 'deny')
    assert.deepEqual(answer.body, { status: 'denied' })
    assert.equal((await pollDevice(client, denied.device_code)).body.error, 'access_denied')
    travel(600)
    assert.equal((await pollDevice(client, late.device_code)).body.error, 'expired_token')
    assert.equal((await decideDevice(visitor, late.user_code)).status, 404)
  })

  test('a device is refused when five user codes in a row are in use', async ({ assert }) => {
    const { devices } = (await useDevices()).tokens
    let tries = 0
    replaceForTest(devices, 'insert', () => {
      tries++
      return false
    })
    assert.equal((await askForDevice(await registerClient())).body.error, 'server_error')
    assert.equal(tries, 5)
  })

  test('the events of a consent tell of devices, too', async ({ assert }) => {
    const server = await useDevices()
    const events: unknown[] = []
    Object.assign(server, { announce: (...event: unknown[]) => void events.push(event) })
    const { visitor, user } = await signedIn()
    const client = await registerClient()
    events.length = 0
    await decideDevice(visitor, (await beginDevice(client)).user_code, 'deny')
    const narrow = { scopes: ['posts:read'] }
    await decideDevice(visitor, (await beginDevice(client)).user_code, 'approve', narrow)
    const consent = { clientId: client.id, userId: String(user.id), resource: null }
    assert.deepEqual(events, [
      ['oauth2:consent_denied', { ...consent, scopes: ['posts:read', 'posts:write'] }],
      ['oauth2:consent_given', { ...consent, ...narrow }],
    ])
  })

  test('an approval is decided once, and waits no longer than a code', async ({ assert }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const device = await beginDevice(client)
    await decideDevice(visitor, device.user_code)
    assert.equal((await decideDevice(visitor, device.user_code, 'deny')).status, 404)
    travel(600)
    assert.equal((await pollDevice(client, device.device_code)).body.error, 'expired_token')
  })

  test('§3.5: authorization_pending while an approval is being written', async ({ assert }) => {
    const { devices } = (await useDevices()).tokens
    const client = await registerClient()
    const { device_code: code } = await beginDevice(client)
    const approval = { approved: true, codeHash: hashSecret('not stored yet') } as const
    await devices.decide(hashSecret(code), approval, Date.now())
    assert.equal((await pollDevice(client, code)).body.error, 'authorization_pending')
  })

  test('a device code gives tokens once; a repeated poll ends nothing', async ({ assert }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const tokens = await obtainDeviceTokens(visitor, client)
    assert.equal((await pollDevice(client, tokens.deviceCode)).body.error, 'invalid_grant')
    assert.isTrue(await opens(tokens.access_token))
  })

  test('of 20 polls at once one gets the tokens', async ({ assert }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const device = await beginDevice(client)
    await decideDevice(visitor, device.user_code)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => pollDevice(client, device.device_code))
    )
    const [winner, ...others] = answers.filter(({ status }) => status === 200)
    assert.lengthOf(others, 0)
    assert.isTrue(await opens(winner!.body.access_token))
    const errors = new Set(
      answers.filter(({ status }) => status !== 200).map((one) => one.body.error)
    )
    assert.deepEqual([...errors], ['invalid_grant'])
  })
})
