import { test } from '@japa/runner'

import { seal, unseal } from '#kit/oauth2/grants/refresh_token_grant'

test.group('Sealed successors of refresh tokens', () => {
  const value = { response: { access_token: 'ä', refresh_token: 'b' } }

  test('open with the token and in the row that they were sealed with', ({ assert }) => {
    assert.deepEqual(unseal(seal(value, 'token', 'row'), 'token', 'row'), value)
  })

  test('open when an earlier version has sealed them', ({ assert }) => {
    const sealed = 'AQEBAQEBAQEBAQEBxHLsvnCSHwHIfNY2yxn7N0_rYTRlPFACTWwxhkYaKw'
    assert.deepEqual(unseal(sealed, 'token', 'row'), { name: 'Zoë' })
  })

  test('open with nothing else, and not after a change', ({ assert }) => {
    const sealed = seal(value, 'token', 'row')
    assert.isNull(unseal(sealed, 'other', 'row'))
    assert.isNull(unseal(sealed, 'token', 'other'))
    const bytes = Buffer.from(sealed, 'base64url')
    for (const index of [0, 12, bytes.length - 1]) {
      const changed = Buffer.from(bytes)
      changed[index]! ^= 1
      assert.isNull(unseal(changed.toString('base64url'), 'token', 'row'))
    }
    for (const malformed of ['', 'x', '!', sealed.slice(0, 20)]) {
      assert.isNull(unseal(malformed, 'token', 'row'))
    }
  })

  test('differ each time', ({ assert }) => {
    assert.notEqual(seal(value, 'token', 'row'), seal(value, 'token', 'row'))
  })
})
