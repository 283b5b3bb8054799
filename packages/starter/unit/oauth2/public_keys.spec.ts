import { generateKeyPairSync } from 'node:crypto'

import { test } from '@japa/runner'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'

import { readPublicKeys, readRegisteredKeys, verifyBy } from '#kit/oauth2/clients/assertions'

test.group('The keys of a set', () => {
  test('are none when one of them has the private member {$self} (RFC 7518 §6)')
    .with(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])
    .run(({ assert }, member) => {
      const known = { kty: 'RSA', n: 'n', e: 'AQAB' }
      assert.deepEqual(readPublicKeys({ keys: [known] }), [known])
      assert.isNull(readPublicKeys({ keys: [known, { ...known, [member]: 'x' }] }))
    })

  test('are those of a type that verifies signatures for everybody', ({ assert }) => {
    const keys = ['RSA', 'EC', 'OKP', 'oct', 'AKP', undefined].map((kty) => ({ kty }))
    assert.deepEqual(readPublicKeys({ keys }), [{ kty: 'RSA' }, { kty: 'EC' }, { kty: 'OKP' }])
  })

  test('are registered when RSA keys have 2048 bits: no shorter one verifies (RFC 7518 §3.3)', ({
    assert,
  }) => {
    for (const [modulusLength, isRegistered] of [
      [1024, false],
      [2048, true],
      [3072, true],
    ] as const) {
      const { publicKey } = generateKeyPairSync('rsa', { modulusLength })
      const keys = [{ kty: 'EC' }, publicKey.export({ format: 'jwk' })]
      const registered = readRegisteredKeys({ jwks: { keys } })
      assert.equal(typeof registered !== 'string', isRegistered)
    }
  })

  test('are 20 at most', ({ assert }) => {
    const keys = Array(20).fill({ kty: 'EC' })
    assert.lengthOf(readPublicKeys({ keys })!, 20)
    assert.isNull(readPublicKeys({ keys: [...keys, { kty: 'EC' }] }))
  })
})

test.group('What a key of a set has signed', () => {
  const JWT = /^JWT$/

  async function signer(kid: string) {
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const sign = (named?: string) =>
      new SignJWT({ jti: 'x' })
        .setProtectedHeader({ alg: 'ES256', ...(named && { kid: named }) })
        .sign(privateKey)
    return { sign, jwk: { ...(await exportJWK(publicKey)), kid } }
  }

  test('is signed by the one that it names, or by any where it names none (RFC 7515 §4.1.4)', async ({
    assert,
  }) => {
    const [one, two] = [await signer('one'), await signer('two')]
    const keys = [one.jwk, two.jwk]
    for (const named of ['two', undefined]) {
      assert.deepEqual(await verifyBy(keys, await two.sign(named), JWT), { jti: 'x' })
    }
    for (const named of ['one', 'three']) {
      assert.isNull(await verifyBy(keys, await two.sign(named), JWT))
    }
  })

  test('is no HMAC, also where a set has a shared secret (RFC 8725 §2.1)', async ({ assert }) => {
    const secret = Buffer.alloc(32, 's')
    const token = await new SignJWT({}).setProtectedHeader({ alg: 'HS256' }).sign(secret)
    const keys = [{ kty: 'oct', k: secret.toString('base64url') }]
    assert.isNull(await verifyBy(keys, token, JWT))
  })
})
