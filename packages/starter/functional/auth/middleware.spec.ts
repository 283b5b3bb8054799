import router from '@adonisjs/core/services/router'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { middleware } from '#start/kernel'

const OPTIONAL = '/_test/middleware/optional'

router
  .get(OPTIONAL, ({ auth }) => ({ user: auth.user?.id ?? null, via: auth.authenticatedViaGuard }))
  .use(middleware.optionalAuth({ guards: ['api'] }))

test.group('optionalAuth', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('recognises who has valid credentials of its guards, and lets everybody else in', async ({
    client,
  }) => {
    const user = await UserFactory.create()
    const known = await client.get(OPTIONAL).withApiToken(user, ['posts:read'])
    known.assertStatus(200)
    known.assertBody({ user: user.id, via: 'api' })
    for (const request of [
      client.get(OPTIONAL),
      client.get(OPTIONAL).bearerToken('1|wrong'),
      client.get(OPTIONAL).loginAs(user),
    ]) {
      const response = await request
      response.assertStatus(200)
      response.assertBody({ user: null, via: null })
    }
  })
})
