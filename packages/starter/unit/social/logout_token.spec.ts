import { generateKeyPairSync, type KeyObject } from 'node:crypto'

import { test } from '@japa/runner'
import { SignJWT } from 'jose'

import { readLogoutToken } from '#kit/social/providers/logout_token'
import { stopClock } from '#starter/helpers/time'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const ISSUER = 'https://login.example'
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })

type Pair = { privateKey: KeyObject; publicKey: KeyObject }

/** Reads a token of this moment, with other claims and another header. */
async function read(
  claims: object = {},
  header: object = {},
  { privateKey, publicKey }: Pair = rsa
) {
  const now = Math.floor(Date.now() / 1000)
  const payload = {
    ...{ iss: ISSUER, aud: 'client', iat: now, exp: now + 60, jti: 'one', sub: 'ann' },
    events: { [EVENT]: {} },
    ...claims,
  }
  const token = await new SignJWT(payload)
    .setProtectedHeader({ alg: 'RS256', typ: 'logout+jwt', ...header })
    .sign(privateKey)
  return readLogoutToken(token, async () => publicKey as any, {
    issuer: ISSUER,
    clientId: 'client',
  })
}

test.group('Logout tokens', () => {
  test('name a person, a session or both, and count until 30 seconds after their end', async ({
    assert,
  }) => {
    stopClock()
    const end = Date.now() + 90_000
    const common = { issuer: ISSUER, jti: 'one', expiresAt: end }
    assert.deepEqual(await read(), { ...common, subject: 'ann', sid: null })
    assert.deepEqual(await read({ sid: 's' }), { ...common, subject: 'ann', sid: 's' })
    assert.deepEqual(await read({ sid: 's', sub: undefined }), {
      ...common,
      ...{ subject: null, sid: 's' },
    })
  })

  test('clocks may differ by 30 seconds', async ({ assert }) => {
    stopClock()
    const now = Date.now() / 1000
    await read({ iat: now + 30 })
    await read({ exp: now - 29 })
    await assert.rejects(() => read({ iat: now + 31 }), 'the logout token is of the future')
    await assert.rejects(() => read({ exp: now - 31 }), /"exp" claim timestamp check failed/)
  })

  test('{what}: {message}')
    .with([
      {
        what: 'a type of another token',
        header: { typ: 'at+jwt' },
        message: /"typ" of the logout/,
      },
      { what: 'no logout event', claims: { events: { x: {} } }, message: /has no logout event/ },
      {
        what: 'an event that is no object',
        claims: { events: { [EVENT]: 1 } },
        message: /no logout/,
      },
      { what: 'events that are null', claims: { events: null }, message: /has no logout event/ },
      { what: 'a nonce', claims: { nonce: 'x' }, message: /has a nonce, as an ID token does/ },
      { what: 'nobody', claims: { sub: undefined }, message: /neither a session nor a person/ },
      { what: 'an empty person', claims: { sub: '', sid: 's' }, message: /neither a session/ },
      { what: 'an empty session', claims: { sid: '' }, message: /neither a session nor/ },
      { what: 'a session that is no text', claims: { sid: 7 }, message: /neither a session nor/ },
      { what: 'an id that is no text', claims: { jti: 7 }, message: /neither a session nor|jti/ },
      { what: 'another issuer', claims: { iss: 'https://evil.example' }, message: /"iss"/ },
      { what: 'another client', claims: { aud: 'other' }, message: /"aud"/ },
      { what: 'no id', claims: { jti: undefined }, message: /"jti"/ },
      { what: 'no time', claims: { iat: undefined }, message: /"iat"/ },
      { what: 'no end', claims: { exp: undefined }, message: /"exp"/ },
      { what: 'no events', claims: { events: undefined }, message: /"events"/ },
    ] as { what: string; claims?: object; header?: object; message: RegExp }[])
    .run(async ({ assert }, { claims, header, message }) => {
      await assert.rejects(() => read(claims, header), message)
    })

  test('the type may be missing or long', async ({ assert }) => {
    for (const typ of [undefined, 'JWT', 'application/logout+jwt', 'Logout+JWT']) {
      assert.equal((await read({}, { typ })).subject, 'ann')
    }
  })

  test('are signed by a key that is published: {alg}')
    .with([
      ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].map((alg) => ({ alg, pair: rsa })),
      { alg: 'ES256', pair: ec('P-256') },
      { alg: 'ES384', pair: ec('P-384') },
      { alg: 'ES512', pair: ec('P-521') },
      ...['EdDSA', 'Ed25519'].map((alg) => ({ alg, pair: generateKeyPairSync('ed25519') })),
    ])
    .run(async ({ assert }, { alg, pair }) => {
      assert.equal((await read({}, { alg }, pair)).subject, 'ann')
    })
})
