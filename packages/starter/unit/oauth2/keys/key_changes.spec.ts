import { createSecretKey, generateKeyPairSync, randomBytes } from 'node:crypto'

import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import { test } from '@japa/runner'

import { defineConfig } from '#kit/oauth2/define_config'
import { KeyChanges, purgeExpiredKeys } from '#kit/oauth2/keys/key_changes'
import { KeySet } from '#kit/oauth2/keys/key_set'
import { type SigningKey, generateKey, importPrivateKey } from '#kit/oauth2/keys/signing_key'
import { MemoryTokenStore } from '#kit/oauth2/tokens/memory_token_store'
import { keySet } from '#starter/helpers/keys'
import { accessToken } from '#starter/helpers/oauth_records'
import { stopClock } from '#starter/helpers/time'

const HOUR = 3600
const DELAY = 60

function setUp(configured: SigningKey | null = null) {
  const advance = stopClock()
  const { keys, store } = keySet({ configured, publishFor: HOUR })
  const tokens = new MemoryTokenStore()
  const changes = new KeyChanges(keys, HOUR)
  const config = defineConfig({ accessTokenTtl: 600, keys: { publishFor: HOUR } })
  const purge = (now = Date.now()) => purgeExpiredKeys({ keys, config, tokens }, now)
  const states = async () => (await changes.list()).map(({ state }) => state)
  return { advance, keys, store, tokens, changes, purge, states }
}

test.group('Changes of the keys', () => {
  test('the first asymmetric key signs at once, unless a configured one signs meanwhile', async ({
    assert,
  }) => {
    const alone = setUp()
    assert.equal((await alone.changes.make()).state, 'signs')
    const secret = createSecretKey(randomBytes(32))
    const besideSecret = setUp({ algorithm: 'HS256', sign: secret, verify: secret })
    assert.equal((await besideSecret.changes.make()).state, 'signs')
    assert.equal((await besideSecret.changes.make()).state, 'waits')
    const beside = setUp(await generateKey('ES256'))
    const { state, signsAt } = await beside.changes.make()
    assert.equal(state, 'waits')
    assert.equal(signsAt, Date.now() + HOUR * 1000)
  })

  test('a rotation publishes the successor for an hour, then it signs and the old one verifies', async ({
    assert,
  }) => {
    const { advance, changes, states } = setUp()
    const first = await changes.make({ algorithm: 'EdDSA' })
    const second = await changes.rotate()
    assert.equal(second.algorithm, 'EdDSA')
    assert.deepEqual(await states(), ['signs', 'waits'])
    advance(HOUR - 1)
    assert.deepEqual(await states(), ['signs', 'waits'])
    advance(1)
    assert.deepEqual(await states(), ['verifies', 'signs'])
    const listed = await changes.list()
    assert.deepEqual(
      listed.map(({ kid, replacedAt }) => [kid, replacedAt]),
      [
        [first.kid, second.signsAt],
        [second.kid, null],
      ]
    )
  })

  test('one that shall sign at once does', async ({ assert }) => {
    const { advance, changes, states } = setUp()
    await changes.make()
    advance(1)
    await changes.rotate({ immediately: true, algorithm: 'RS256' })
    assert.deepEqual(await states(), ['verifies', 'signs'])
  })

  test('a key of one’s own is taken, and kept in no other form than encrypted', async ({
    assert,
  }) => {
    const { changes, store } = setUp()
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = privateKey.export({ type: 'sec1', format: 'pem' }) as string
    const { kid } = await changes.make({ pem })
    const [record] = await store.list()
    assert.equal(record!.kid, kid)
    assert.notInclude(record!.sealed, pem.split('\n')[1]!)
    await assert.rejects(
      () => changes.make({ pem, algorithm: 'RS256' }),
      /fits the algorithm RS256/
    )
    await assert.rejects(() => changes.make({ pem }), /has this key already/)
  })

  test('the key of the configuration is in the set already', async ({ assert }) => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    const { changes, keys, store } = setUp(await importPrivateKey(pem, 'ES256'))
    await assert.rejects(() => changes.make({ pem }), /has this key already: it is OAUTH_KEY/)
    assert.lengthOf(await store.list(), 0)
    assert.lengthOf(await keys.publicKeys(), 1)
  })

  test('nothing can be rotated before there is a key, and the one that signs cannot be retired', async ({
    assert,
  }) => {
    const { changes } = setUp()
    await assert.rejects(() => changes.rotate(), /auth:key make/)
    const { kid } = await changes.make()
    await assert.rejects(() => changes.retire(kid), /auth:key rotate --now/)
    await assert.rejects(() => changes.retire('unknown'), /auth:key list/)
  })

  test('a retired key verifies no more, at once', async ({ assert }) => {
    const { advance, keys, changes } = setUp()
    const { kid } = await changes.make()
    const token = await keys.sign({})
    advance(1)
    await changes.rotate({ immediately: true })
    await keys.verify(token)
    await changes.retire(kid)
    await assert.rejects(() => keys.verify(token), /no applicable key/)
  })

  test('what another process has changed counts at once', async ({ assert }) => {
    const { advance, changes, store, states } = setUp()
    await changes.make()
    const { keys } = keySet({ store, publishFor: HOUR })
    const other = new KeyChanges(keys, HOUR)
    await other.list()
    advance(1)
    const { kid } = await changes.rotate({ immediately: true })
    assert.deepEqual(await states(), ['verifies', 'signs'])
    assert.equal((await other.list()).find(({ state }) => state === 'signs')!.kid, kid)
  })

  test('without a set there is nothing to change', async ({ assert }) => {
    const keys = new KeySet({ configured: await generateKey('ES256'), logger: { error() {} } })
    assert.throws(() => new KeyChanges(keys, HOUR), InvalidArgumentsException)
    assert.throws(() => new KeyChanges(keys, HOUR), /OAUTH_KEYS_STORE=database/)
  })
})

test.group('Keys whose tokens have expired', () => {
  test('go when the access tokens of the last moment have, and not before', async ({ assert }) => {
    const { advance, changes, purge, states } = setUp()
    await changes.make()
    await changes.rotate()
    advance(HOUR + DELAY + 600 - 1)
    assert.equal(await purge(), 0)
    advance(1)
    assert.equal(await purge(), 1)
    assert.deepEqual(await states(), ['signs'])
    assert.equal(await purge(Date.now() + 10 * HOUR * 1000), 0)
  })

  test('stay for a token that lives longer, such as a personal access token', async ({
    assert,
  }) => {
    const { advance, changes, purge, tokens } = setUp()
    await changes.make()
    const expiresAt = Date.now() + 100 * HOUR * 1000
    tokens.insertTokens({
      access: accessToken({ createdAt: Date.now(), expiresAt }),
      refresh: null,
    })
    await changes.rotate()
    advance(100 * HOUR - 1)
    assert.equal(await purge(), 0)
    advance(1)
    assert.equal(await purge(), 1)
  })

  test('those that wait, that sign, and that cannot be decrypted stay', async ({ assert }) => {
    const { advance, changes, purge, store, states } = setUp()
    await changes.make()
    advance(1)
    await changes.rotate({ immediately: true })
    const [first] = await store.list()
    await store.insert({ ...first!, kid: 'unusable', signsAt: 0 })
    await changes.rotate()
    advance(DELAY + 600)
    assert.equal(await purge(), 1)
    assert.deepEqual(await states(), ['unusable', 'signs', 'waits'])
  })
})
