import { generateKeyPairSync } from 'node:crypto'

import { test } from '@japa/runner'

import { readPublicKeys, readRegisteredKeys } from '#kit/oauth2/clients/assertions'

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
