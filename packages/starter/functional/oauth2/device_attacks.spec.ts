import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import OAuthAuthCode from '#models/oauth_auth_code'
import User from '#models/user'
import { hashSecret } from '#kit/security/secrets'
import { HTML } from '#starter/helpers/consent'
import {
  askForDevice,
  beginDevice,
  decideDevice,
  openDevice,
  pollDevice,
  useDevices,
} from '#starter/helpers/device'
import {
  OTHER_RESOURCE,
  RESOURCE,
  authorizationServer,
  isolate,
  post,
  postToken,
  redemption,
  registerClient,
} from '#starter/helpers/oauth'
import { limit } from '#starter/helpers/limits'
import { wrapForTest } from '#starter/helpers/replace'
import { signedIn } from '#starter/helpers/visitor'

test.group('Attacks on devices (RFC 8628 §5)', (group) => {
  group.each.setup(isolate)

  test('an unknown device code is refused, that of another client too, which stays as it is', async ({
    assert,
  }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const [client, other] = [await registerClient(), await registerClient()]
    const device = await beginDevice(client)
    await decideDevice(visitor, device.user_code)
    for (const code of ['unknown', device.device_code]) {
      assert.equal((await pollDevice(other, code)).body.error, 'invalid_grant')
    }
    assert.equal((await pollDevice(client, device.device_code)).status, 200)
  })

  test('an approval that cannot be written leaves the device waiting, and is possible again', async ({
    assert,
    cleanup,
  }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const device = await beginDevice(client)
    const failing = () => {
      throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
    }
    const mend = () => OAuthAuthCode.$hooks.remove('before:create', failing)
    cleanup(() => void mend())
    OAuthAuthCode.before('create', failing)
    assert.equal((await decideDevice(visitor, device.user_code)).status, 503)
    mend()
    assert.equal((await decideDevice(visitor, device.user_code)).status, 200)
    assert.equal((await pollDevice(client, device.device_code)).status, 200)
  })

  test('neither code is good for another grant, and codes are stored as hashes', async ({
    assert,
  }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const device = await beginDevice(client)
    await decideDevice(visitor, device.user_code)
    for (const code of Object.values(device).map(String)) {
      const { body } = await postToken(redemption(client, { code, verifier: 'v'.repeat(43) }))
      assert.equal(body.error, 'invalid_grant')
    }
    const [row] = await db.from('oauth_device_authorizations')
    assert.equal(row.device_code_hash, hashSecret(device.device_code))
    assert.notInclude(JSON.stringify(row), device.user_code.replace('-', ''))
  })

  test('a client that may not use the grant is refused at both endpoints', async ({ assert }) => {
    await useDevices()
    const client = await registerClient({ grantTypes: ['client_credentials'] })
    assert.equal((await askForDevice(client)).body.error, 'unauthorized_client')
    assert.equal((await pollDevice(client, 'x')).body.error, 'unauthorized_client')
    const { body } = await post('/oauth/device_authorization', { scope: 'posts:read' })
    assert.equal(body.error, 'invalid_client')
  })

  test('scope and resource are judged before a person is asked', async ({ assert }) => {
    await useDevices()
    const client = await registerClient({ scopes: ['posts:read'] })
    assert.equal((await askForDevice(client)).body.error, 'invalid_scope')
    const fields = { scope: 'posts:read', resource: 'https://other.example.com' }
    assert.equal((await askForDevice(client, fields)).body.error, 'invalid_target')
  })

  test('a poll names the resource that was asked for, or none', async ({ assert }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { device_code: deviceCode, user_code: userCode } = await beginDevice(client, {
      resource: RESOURCE,
    })
    await decideDevice(visitor, userCode)
    const other = await pollDevice(client, deviceCode, { resource: OTHER_RESOURCE })
    assert.equal(other.body.error, 'invalid_target')
    const { body } = await pollDevice(client, deviceCode, { resource: RESOURCE })
    assert.equal(decodeJwt(body.access_token).aud, RESOURCE)
  })

  test('who has become inactive, and a revoked client or grant, end what was allowed', async ({
    assert,
  }) => {
    await useDevices()
    const { visitor, user } = await signedIn()
    const [client, revoked] = [await registerClient(), await registerClient()]
    const [first, second] = [await beginDevice(client), await beginDevice(revoked)]
    await decideDevice(visitor, first.user_code)
    const server = await authorizationServer()
    await server.clients.revoke(revoked.id)
    assert.equal((await decideDevice(visitor, second.user_code)).status, 404)
    assert.equal((await pollDevice(revoked, second.device_code)).body.error, 'invalid_client')
    await User.query().where('id', user.id).update({ isActive: false })
    assert.equal((await pollDevice(client, first.device_code)).body.error, 'invalid_grant')
    await User.query().where('id', user.id).update({ isActive: true })
    await server.userTokens.revokeAll({ userId: String(user.id), provider: 'users' })
    assert.equal((await pollDevice(client, first.device_code)).body.error, 'invalid_grant')
  })

  test('a client that is revoked while its device is allowed gets no token, also by a poll from before', async ({
    assert,
  }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const device = await beginDevice(client)
    const { clients, tokens } = await authorizationServer()
    wrapForTest(tokens.grants, 'approve', (approve) => async (...approval) => {
      await clients.revoke(client.id)
      return approve(...approval)
    })
    /* The client of the poll is known before it is revoked. */
    let decision: Awaited<ReturnType<typeof decideDevice>> | undefined
    wrapForTest(tokens.devices, 'find', (find) => async (code) => {
      decision ??= await decideDevice(visitor, device.user_code)
      return find(code)
    })
    const polled = await pollDevice(client, device.device_code)
    assert.equal(decision!.status, 404)
    assert.deepEqual([polled.status, polled.body.error], [400, 'invalid_grant'])
    const living = { client_id: client.id, revoked_at: null }
    assert.lengthOf(await db.from('oauth_grants').where(living), 0)
  })

  test('§5.1: user codes that lead to none are throttled for an account, right ones never', async ({
    assert,
  }) => {
    await useDevices()
    await limit({ deviceUserCodes: { perSubject: { attempts: 2, seconds: 3600 } } })
    const { visitor } = await signedIn()
    const { user_code: userCode } = await beginDevice(await registerClient())
    const look = async (code: string) =>
      (await visitor.get(`/device?user_code=${encodeURIComponent(code)}`)).status
    assert.equal(await look('BBBB-BBBB'), 404)
    assert.equal(await look(` ${userCode.toLowerCase().replace('-', '')} `), 200)
    assert.equal(await look('nonsense'), 404)
    assert.equal(await look(userCode), 429)
    const { visitor: another } = await signedIn()
    assert.equal((await decideDevice(another, userCode)).status, 200)
  })

  test('§5.1: links of another site use up no tries of the person who follows them, and fill the field in', async ({
    assert,
  }) => {
    await useDevices()
    await limit({ deviceUserCodes: { perSubject: { attempts: 1, seconds: 3600 } } })
    const { visitor } = await signedIn()
    const { user_code: userCode } = await beginDevice(await registerClient())
    const follow = (code: string) =>
      visitor.get(`/device?user_code=${code}`, {
        headers: { ...HTML, 'sec-fetch-site': 'cross-site' },
      })
    for (const code of ['BBBB-BBBB', 'CCCC-CCCC', userCode]) {
      const response = await follow(code)
      assert.equal(response.status, 200)
      assert.include(await response.text(), `value="${code}"`)
    }
    assert.equal((await openDevice(visitor, userCode)).status, 200)
  })

  test('§5.1: and for an address, whichever account', async ({ assert }) => {
    await useDevices()
    await limit({ deviceUserCodes: { perAddress: { attempts: 1, seconds: 3600 } } })
    for (const status of [404, 429]) {
      const { visitor } = await signedIn()
      assert.equal((await decideDevice(visitor, 'BBBB-BBBB')).status, status)
    }
  })

  test('§5.2: devices that ask are counted by their address', async ({ assert }) => {
    await useDevices()
    await limit({ deviceAuthorizations: { perAddress: { attempts: 1, seconds: 3600 } } })
    const client = await registerClient()
    assert.equal((await askForDevice(client)).status, 200)
    assert.equal((await askForDevice(client)).status, 429)
  })
})
