import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'

test.group('Security log', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('GET /account/security is for the person whose account it is', async ({ client }) => {
    const response = await client.get('/account/security').loginAs(await UserFactory.create())
    response.assertStatus(200)
    const guest = await client.get('/account/security')
    guest.assertStatus(401)
  })
})
