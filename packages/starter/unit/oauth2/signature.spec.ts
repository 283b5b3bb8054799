import { createSecretKey } from 'node:crypto'

import { test } from '@japa/runner'
import { CompactSign, SignJWT, jwtVerify } from 'jose'

import { BoundedMap } from '#kit/process/remembered'
import { KeySet } from '#kit/oauth2/keys/key_set'
import { type SigningKey, signJwt, verifyJwt } from '#kit/oauth2/keys/signing_key'
import { accessTokensOf } from '#starter/helpers/keys'

const ISSUER = 'https://id.example.com'

function hmacKey(algorithm: string): SigningKey {
  const key = createSecretKey(Buffer.alloc(64, 'k'))
  return { algorithm, sign: key, verify: key }
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const now = () => Math.floor(Date.now() / 1000)
const claims = () => ({ jti: 'j', sub: 's', iss: ISSUER, iat: now(), exp: now() + 60 })

/** A token with this header and these claims that is signed with the key, by jose. */
function make(header: Record<string, unknown>, changes: Record<string, unknown>) {
  return new SignJWT({ ...claims(), ...changes })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', ...header } as never)
    .sign(hmacKey('HS256').sign)
}

test.group('HMAC signatures', () => {
  for (const algorithm of ['HS256', 'HS384', 'HS512']) {
    test(`${algorithm}: jose and this module verify each other's tokens`, async ({ assert }) => {
      const key = hmacKey(algorithm)
      const own = await signJwt({ typ: 'at+jwt' }, claims(), key)
      const { protectedHeader } = await jwtVerify(own, key.verify, { algorithms: [algorithm] })
      assert.deepEqual(protectedHeader, { typ: 'at+jwt', alg: algorithm })

      const theirs = await new SignJWT({ jti: 'x' })
        .setProtectedHeader({ alg: algorithm })
        .sign(key.sign)
      assert.deepEqual((await verifyJwt(theirs, key)).claims, { jti: 'x' })
    })
  }

  test('no other text passes for a token', async ({ assert }) => {
    const key = hmacKey('HS256')
    const token = await signJwt({}, claims(), key)
    const [header, payload, signature] = token.split('.') as [string, string, string]
    const bad = [
      '',
      'a.b',
      `${token}.x`,
      `${header}.${payload}.`,
      `${header}.${payload}.${signature}=`,
      `${header}.${payload}.${signature}A`,
      `${header}.${payload}.${signature.slice(1)}`,
      `${header}.${encode({ jti: 'y' })}.${signature}`,
      `${encode({ alg: 'none' })}.${payload}.`,
      `${encode({ alg: 'none' })}.${payload}.${signature}`,
      `${encode({ alg: 'HS512' })}.${payload}.${signature}`,
      `${encode(['HS256'])}.${payload}.${signature}`,
      await signJwt({ crit: ['b64'], b64: false }, claims(), key),
      await signJwt({}, claims(), { ...key, sign: createSecretKey(Buffer.alloc(64, 'x')) }),
      await signJwt({}, ['a list'], key),
      /* JSON is UTF-8 (RFC 7519 §7.2, 10). */
      await new CompactSign(Buffer.from('{"jti":"\xff"}', 'latin1'))
        .setProtectedHeader({ alg: 'HS256' })
        .sign(key.sign),
    ]
    for (const text of bad) {
      await assert.rejects(() => verifyJwt(text, key))
    }
  })
})

test.group('Claims of access tokens', () => {
  const keys = () => new KeySet({ configured: hmacKey('HS256'), logger: { error: () => {} } })
  const tokens = () => accessTokensOf(keys(), ISSUER)

  test('a token with all of them is accepted, whatever the case of its type', async ({
    assert,
  }) => {
    for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt']) {
      assert.equal((await tokens().verify(await make({ typ }, {}))).jti, 'j')
    }
    assert.equal((await tokens().verify(await make({}, { nbf: now() - 1 }))).jti, 'j')
  })

  const wrong: [claim: string, header: Record<string, unknown>, claims: Record<string, unknown>][] =
    [
      ['typ', { typ: undefined }, {}],
      ['typ', { typ: 'JWT' }, {}],
      ['iss', {}, { iss: 'https://other.example.com' }],
      ['iss', {}, { iss: undefined }],
      ['jti', {}, { jti: undefined }],
      ['sub', {}, { sub: 1 }],
      ['iat', {}, { iat: undefined }],
      ['exp', {}, { exp: undefined }],
      ['nbf', {}, { nbf: 4_000_000_000 }],
    ]
  for (const [claim, header, changes] of wrong) {
    test(`${claim} missing or wrong is refused: ${JSON.stringify({ ...header, ...changes })}`, async ({
      assert,
    }) => {
      const token = await make(header, changes)
      const error: any = await tokens()
        .verify(token)
        .catch((refusal) => refusal)
      assert.equal(error.reason, `claim ${claim} missing or wrong`)
    })
  }

  test('an expired token is refused, and still names its chain', async ({ assert }) => {
    const token = await make({}, { exp: now() - 1 })
    await assert.rejects(() => tokens().verify(token))
    assert.equal((await tokens().verifySignature(token)).jti, 'j')
  })
})

test.group('What is remembered', () => {
  test('the oldest entry goes when there is no room', ({ assert }) => {
    const map = new BoundedMap<string, number>(2)
    map.set('a', 1)
    map.set('b', 2)
    map.set('a', 3)
    map.set('c', 4)
    assert.equal(map.size, 2)
    assert.isUndefined(map.get('a'))
    assert.equal(map.get('b'), 2)
    assert.equal(map.get('c'), 4)
  })
})
