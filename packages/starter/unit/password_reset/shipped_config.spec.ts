import { test } from '@japa/runner'

import auth from '#config/auth'

test.group('Shipped configuration | password resets', () => {
  test('config/auth.ts has a broker, delivers links and exposes no token', ({ assert }) => {
    assert.equal(auth.default.passwords, 'users')
    const { model, ...users } = auth.passwords.users!
    assert.isFunction(model)
    assert.deepEqual(users, { provider: 'users', expire: 60, throttle: 60 })
    assert.isFunction(auth.passwordResetNotifier)
    assert.isFalse(auth.debugExposeResetToken)
  })
})
