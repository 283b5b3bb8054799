import { test } from '@japa/runner'

import { assertCookieAttributes } from '#kit/config/checks'

test.group('Cookie attributes', () => {
  test('"none" without "secure" is refused, whatever its case', ({ assert }) => {
    for (const sameSite of ['none', 'None']) {
      assert.throws(() => assertCookieAttributes({ sameSite, secure: false }), /SESSION_SECURE/)
    }
  })

  test('every other combination is taken', ({ assert }) => {
    for (const sameSite of ['lax', 'strict', false, undefined]) {
      assert.doesNotThrow(() => assertCookieAttributes({ sameSite, secure: false }))
    }
    assert.doesNotThrow(() => assertCookieAttributes({ sameSite: 'none', secure: true }))
  })
})
