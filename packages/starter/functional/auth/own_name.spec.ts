import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

test.group('ctx.authenticator', () => {
  test('is the object that the application knows as ctx.auth', async ({ assert }) => {
    const ctx = await testUtils.createHttpContext()
    assert.strictEqual(ctx.auth, ctx.authenticator)
  })
})
