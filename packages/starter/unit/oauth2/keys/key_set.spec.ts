import { createSecretKey, generateKeyPairSync } from 'node:crypto'

import { RuntimeException } from '@adonisjs/core/exceptions'
import encryption from '@adonisjs/core/services/encryption'
import { test } from '@japa/runner'
import {
  SignJWT,
  calculateJwkThumbprint,
  createLocalJWKSet,
  decodeProtectedHeader,
  exportSPKI,
  jwtVerify,
} from 'jose'

import { defineConfig } from '#kit/oauth2/define_config'
import { createKeySet } from '#kit/oauth2/keys/key_set'
import { type KeyRecord, MemoryKeyStore } from '#kit/oauth2/keys/key_store'
import { type SigningKey, generateKey } from '#kit/oauth2/keys/signing_key'
import { ErrorLines, keySet } from '#starter/helpers/keys'
import { stopClock, stopTimer } from '#starter/helpers/time'

const HOUR = 3600
const CLAIMS = { sub: 'somebody' }

const secretKey = (algorithm = 'HS256'): SigningKey => {
  const key = createSecretKey(Buffer.alloc(64, 'k'))
  return { algorithm, sign: key, verify: key }
}

const kidOf = (token: string) => decodeProtectedHeader(token).kid

test.group('Keys as a set', () => {
  test('the latest key whose time has come signs; before the first one the configured key does', async ({
    assert,
  }) => {
    const advance = stopClock()
    const { keys, stored } = keySet({ configured: secretKey() })
    await keys.ready()
    assert.equal(keys.signingAlgorithm, 'HS256')
    assert.isFalse(keys.isAsymmetric)

    const first = await stored.add('ES256', Date.now() + HOUR * 1000)
    const second = await stored.add('EdDSA', Date.now() + 2 * HOUR * 1000)
    await keys.refresh()
    assert.isUndefined(kidOf(await keys.sign(CLAIMS)))
    advance(HOUR)
    assert.equal(kidOf(await keys.sign(CLAIMS)), first)
    assert.equal(keys.signingAlgorithm, 'ES256')
    assert.isTrue(keys.isAsymmetric)
    advance(HOUR)
    assert.equal(kidOf(await keys.sign(CLAIMS)), second)
  })

  test('every process knows a key after half the time before it signs, and after a minute', async ({
    assert,
  }) => {
    const delayFor = (publishFor: number) => keySet({ publishFor }).keys.delay
    assert.deepEqual([0, 60, 119, 3600].map(delayFor), [0, 30_000, 59_500, 60_000])
  })

  test('a store in memory is told to end with the process', async ({ assert }) => {
    const warnings: string[] = []
    const keys = await createKeySet({
      config: defineConfig({ keys: { store: 'memory' } }),
      store: new MemoryKeyStore(),
      encryption,
      inProduction: false,
      logger: { warn: (message) => void warnings.push(message), error() {} },
    })
    await keys.ready()
    assert.isTrue(keys.isAsymmetric)
    assert.lengthOf(warnings, 1)
    assert.match(warnings[0]!, /^OAuthKeysConfig: .* ends with the process/)
  })

  test('the first key signs before its time when there is no other', async ({ assert }) => {
    const { keys, stored } = keySet()
    const kid = await stored.add('ES256', Date.now() + HOUR * 1000)
    await stored.add('ES256', Date.now() + 2 * HOUR * 1000)
    assert.equal(kidOf(await keys.sign(CLAIMS)), kid)
  })

  test('without any key nothing is signed, and the message names the command', async ({
    assert,
  }) => {
    const { keys } = keySet()
    const error: Error = await keys.sign(CLAIMS).catch((reason) => reason)
    assert.instanceOf(error, RuntimeException)
    assert.include(error.message, 'node ace auth:key make')
    assert.throws(() => keys.assertCanSign(), error.message)
  })

  for (const algorithm of ['ES256', 'RS256', 'EdDSA', 'PS384']) {
    test(`${algorithm}: jose verifies what is signed, by the public keys`, async ({ assert }) => {
      const { keys, stored } = keySet()
      const kid = await stored.add(algorithm, Date.now())
      const token = await keys.sign(CLAIMS, { typ: 'at+jwt' })
      const { protectedHeader, payload } = await jwtVerify(
        token,
        createLocalJWKSet({ keys: await keys.publicKeys() })
      )
      assert.deepEqual(protectedHeader, { typ: 'at+jwt', kid, alg: algorithm })
      assert.deepEqual(payload, CLAIMS)
    })
  }

  test('a configured asymmetric key is the oldest member, and tokens without "kid" are its', async ({
    assert,
  }) => {
    const configured = await generateKey('ES256')
    const { keys, stored } = keySet({ configured })
    const token = await keys.sign(CLAIMS)
    const [jwk] = await keys.publicKeys()
    assert.equal(kidOf(token), await calculateJwkThumbprint(jwk!))
    assert.isTrue(keys.isAsymmetric)

    const before = await new SignJWT(CLAIMS)
      .setProtectedHeader({ alg: 'ES256' })
      .sign(configured.sign)
    await stored.add('ES256', Date.now())
    await keys.refresh()
    assert.notEqual(kidOf(await keys.sign(CLAIMS)), kidOf(token))
    assert.deepEqual((await keys.verify(token)).claims, CLAIMS)
    assert.deepEqual((await keys.verify(before)).claims, CLAIMS)
  })

  test('during a change-over tokens of the secret and of the set are accepted side by side', async ({
    assert,
  }) => {
    const { keys, stored } = keySet({ configured: secretKey() })
    const old = await keys.sign(CLAIMS)
    await stored.add('ES256', Date.now())
    await keys.refresh()
    assert.deepEqual((await keys.verify(old)).claims, CLAIMS)
    assert.deepEqual((await keys.verify(await keys.sign(CLAIMS))).claims, CLAIMS)
  })

  test('the public keys have no private member, and the secret is not among them (RFC 7517 §9.2)', async ({
    assert,
  }) => {
    const { keys, stored } = keySet({ configured: secretKey() })
    for (const algorithm of ['ES256', 'RS256', 'EdDSA']) {
      await stored.add(algorithm, Date.now())
    }
    const published = await keys.publicKeys()
    assert.lengthOf(published, 3)
    for (const jwk of published) {
      assert.notIncludeMembers(Object.keys(jwk), ['d'])
      assert.isEmpty(
        Object.keys(jwk).filter((name) => 'd p q dp dq qi oth k'.split(' ').includes(name))
      )
      assert.equal(jwk.use, 'sig')
    }
  })

  test('a key verifies its own algorithm alone: no confusion of HS256 with the set (RFC 8725 §2.1)', async ({
    assert,
  }) => {
    const { keys, stored } = keySet({ configured: secretKey() })
    const kid = await stored.add('RS256', Date.now())
    await keys.ready()
    const [jwk] = await keys.publicKeys()
    const { n } = jwk as { n: string }
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string
    const secrets = [JSON.stringify(jwk), n, pem, '', 'k'.repeat(64)]
    for (const secret of secrets) {
      for (const header of [
        { alg: 'HS256', kid },
        { alg: 'HS256' },
        { alg: 'HS512' },
        { alg: 'HS256', kid: 'unknown' },
      ]) {
        if (secret === 'k'.repeat(64) && !header.kid && header.alg === 'HS256') {
          continue
        }
        const forged = await new SignJWT(CLAIMS)
          .setProtectedHeader(header)
          .sign(createSecretKey(Buffer.from(secret || 'x')))
        await assert.rejects(() => keys.verify(forged))
      }
    }
    const [, payload, signature] = (await keys.sign(CLAIMS)).split('.')
    for (const alg of ['none', 'PS256', 'RS512', 'HS256', 'ES256']) {
      const header = Buffer.from(JSON.stringify({ alg, kid })).toString('base64url')
      await assert.rejects(() => keys.verify(`${header}.${payload}.${signature}`))
      await assert.rejects(() => keys.verify(`${header}.${payload}.`))
    }
  })

  test('a key in the token itself, or behind a URL in it, is not used (RFC 8725 §3.10)', async ({
    assert,
  }) => {
    const { keys, stored } = keySet()
    const kid = await stored.add('ES256', Date.now())
    const own = await generateKey('ES256')
    const header = { alg: 'ES256', jku: 'https://attacker.example/jwks', jwk: { kty: 'EC' } }
    for (const more of [{ kid }, { kid: '../../dev/null' }, { kid: "' OR 1=1" }, {}]) {
      const forged = await new SignJWT(CLAIMS)
        .setProtectedHeader({ ...header, ...more })
        .sign(own.sign)
      await assert.rejects(() => keys.verify(forged))
    }
    for (const odd of [1, null, [kid], { kid }]) {
      const forged = await new SignJWT(CLAIMS)
        .setProtectedHeader({ alg: 'ES256', kid: odd } as never)
        .sign(own.sign)
      await assert.rejects(() => keys.verify(forged))
    }
  })

  test('a token of another type is refused (RFC 8725 §3.11)', async ({ assert }) => {
    const { keys, stored } = keySet()
    await stored.add('ES256', Date.now())
    const token = await keys.sign(CLAIMS, { typ: 'logout+jwt' })
    await assert.rejects(() => keys.verify(token, { typ: 'at+jwt' }), /typ/)
    await keys.verify(token, { typ: 'logout+jwt' })
  })
})

test.group('Keys at rest', () => {
  test('are encrypted, their public part as well', async ({ assert }) => {
    const { keys, stored, store } = keySet()
    const kid = await stored.add('ES256', Date.now())
    const [record] = (await store.list()) as [KeyRecord]
    const [jwk] = await keys.publicKeys()
    assert.equal(record.kid, kid)
    assert.notInclude(record.sealed, 'PRIVATE KEY')
    assert.notInclude(Buffer.from(record.sealed, 'base64').toString('latin1'), 'PRIVATE KEY')
    assert.notInclude(record.sealed, (jwk as { x: string }).x)
  })

  test('one that was altered, or encrypted for another, is not used and is told once', async ({
    assert,
  }) => {
    const store = new MemoryKeyStore()
    const { stored } = keySet({ store })
    const good = await stored.add('ES256', Date.now() - 2000)
    const other = await stored.add('RS256', Date.now() - 1000)
    const [one, two] = store.list() as [KeyRecord, KeyRecord]
    store.insert({ ...two, sealed: one.sealed })
    store.insert({ ...one, kid: 'invented' })
    store.insert({ ...one, kid: 'broken', sealed: 'x' })

    const logger = new ErrorLines()
    const { keys } = keySet({ store, logger })
    await keys.refresh()
    await keys.refresh()
    assert.deepEqual(
      (await keys.publicKeys()).map((jwk) => jwk.kid),
      [good]
    )
    assert.sameMembers(
      logger.lines,
      [other, 'invented', 'broken'].map((kid) => `Cannot use the OAuth key ${kid}`)
    )
  })

  test('no new one has an id that a command line would take for a flag', async ({ assert }) => {
    const { stored } = keySet()
    /* One thumbprint of 64 begins with a hyphen. */
    const kids = Array.from({ length: 400 }, () => stored.add('Ed25519', Date.now()))
    assert.isEmpty((await Promise.all(kids)).filter((kid) => kid.startsWith('-')))
  })

  test('weak ones are refused, and those that do not fit', async ({ assert }) => {
    const { stored, store } = keySet()
    const pem = { type: 'pkcs8', format: 'pem' } as const
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export(pem)
    const curve = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export(pem)
    for (const [algorithm, text] of [
      ['RS256', weak],
      ['PS256', weak],
      ['ES256', curve],
      ['EdDSA', curve],
      ['ES256', 'no key at all'],
      ['ES256', await exportSPKI((await generateKey('ES256')).verify as never)],
    ] as [string, string][]) {
      await assert.rejects(() => stored.add(algorithm, 0, text), /must be a private one in PEM/)
    }
    await assert.rejects(() => stored.add('HS256', 0), /asymmetric algorithm "HS256"/)
    await assert.rejects(() => stored.add('none', 0), /asymmetric algorithm "none"/)
    assert.isEmpty(await store.list())
  })
})

test.group('What a process knows of the keys', () => {
  /** Counts how often the keys are read, and fails when it is told to. */
  class Counting extends MemoryKeyStore {
    reads = 0
    isDown = false

    override list() {
      this.reads++
      if (this.isDown) {
        throw new Error('The database is down')
      }
      return super.list()
    }
  }

  test('no request reads them, also not one with a token that names an unknown key', async ({
    assert,
  }) => {
    const advance = stopTimer()
    const store = new Counting()
    const { keys, stored } = keySet({ store })
    await stored.add('ES256', Date.now())
    const token = await keys.sign(CLAIMS)
    const stranger = keySet()
    await stranger.stored.add('ES256', Date.now())
    const foreign = await stranger.keys.sign(CLAIMS)
    advance(59_999)
    for (let request = 0; request < 20; request++) {
      await keys.verify(token)
      await keys.sign(CLAIMS)
      await keys.publicKeys()
    }
    assert.equal(store.reads, 1)
    for (let request = 0; request < 20; request++) {
      await assert.rejects(() => keys.verify(foreign), /no applicable key/)
    }
    /* One for the unknown key in a second. */
    assert.equal(store.reads, 2)
  })

  test('a token of a key that another process has stored is accepted, a second after the last read', async ({
    assert,
  }) => {
    const advance = stopTimer()
    const store = new Counting()
    const [here, elsewhere] = [keySet({ store }), keySet({ store })]
    await here.stored.add('ES256', Date.now() - 1)
    await here.keys.ready()
    await elsewhere.stored.add('ES256', Date.now())
    const token = await elsewhere.keys.sign(CLAIMS)
    advance(999)
    await assert.rejects(() => here.keys.verify(token), /no applicable key/)
    advance(1)
    assert.deepEqual((await here.keys.verify(token)).claims, CLAIMS)
  })

  test('a key that was stored elsewhere is published a minute after the last read', async ({
    assert,
  }) => {
    const advance = stopTimer()
    const store = new Counting()
    const [here, elsewhere] = [keySet({ store }), keySet({ store })]
    await here.keys.ready()
    await elsewhere.stored.add('ES256', Date.now())
    advance(59_999)
    assert.lengthOf(await here.keys.publicKeys(), 0)
    advance(1)
    assert.lengthOf(await here.keys.publicKeys(), 1)
  })

  test('a key that was deleted elsewhere verifies no more, a minute after the last read', async ({
    assert,
  }) => {
    const advance = stopTimer()
    const store = new Counting()
    const { keys, stored } = keySet({ store })
    await stored.add('ES256', Date.now() - 1)
    const kid = await stored.add('ES256', Date.now())
    const token = await keys.sign(CLAIMS)
    await store.delete(kid)
    advance(60_000)
    await assert.rejects(() => keys.verify(token), /no applicable key/)
  })

  test('known keys go on while they cannot be read again; the first read must succeed', async ({
    assert,
  }) => {
    const store = new Counting()
    const { keys, stored, logger } = keySet({ store })
    await stored.add('ES256', Date.now())
    store.isDown = true
    await assert.rejects(() => keys.sign(CLAIMS), 'The database is down')
    store.isDown = false
    const token = await keys.sign(CLAIMS)
    store.isDown = true
    await keys.refresh()
    assert.deepEqual((await keys.verify(token)).claims, CLAIMS)
    assert.deepEqual(logger.lines, ['Cannot read the OAuth keys again'])
  })

  test('many readers at once share one read', async ({ assert }) => {
    const store = new Counting()
    const { keys, stored } = keySet({ store })
    await stored.add('ES256', Date.now())
    await Promise.all(Array.from({ length: 20 }, () => keys.sign(CLAIMS)))
    assert.equal(store.reads, 1)
  })
})
