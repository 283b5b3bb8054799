import router from '@adonisjs/core/services/router'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import type { GuardName } from '#kit/auth/guard_types'
import { Auth } from '#kit/auth/facade'
import { currentUser } from '#kit/auth/protection'
import { UserFactory } from '#database/factories/user_factory'
import { middleware } from '#start/kernel'

/*
| Routes of these tests alone.
*/
const UNKNOWN = 'wbe' as GuardName

router
  .get('/_test/facade/other', async (ctx) => ({
    byFacade: await Auth.id('web'),
    check: await Auth.check('web'),
    current: (await currentUser(ctx)).id,
    user: ctx.auth.user?.id,
    via: ctx.auth.authenticatedViaGuard,
  }))
  .use(middleware.auth({ guards: ['api'] }))
router.get('/_test/facade/unknown', async () => ({
  user: await Auth.user(UNKNOWN),
  id: await Auth.id(UNKNOWN),
  check: await Auth.check(UNKNOWN),
}))

test.group('Auth facade', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('looking through another guard leaves the request its own guard and user', async ({
    client,
  }) => {
    const [person, owner] = await UserFactory.createMany(2)
    const response = await client
      .get('/_test/facade/other')
      .loginAs(person!)
      .withApiToken(owner!, ['posts:read'])
    response.assertBody({
      byFacade: person!.id,
      check: true,
      current: owner!.id,
      user: owner!.id,
      via: 'api',
    })
  })

  test('user, id and check never refuse: a guard that does not exist recognises nobody', async ({
    client,
  }) => {
    const response = await client.get('/_test/facade/unknown').loginAs(await UserFactory.create())
    response.assertBody({ user: null, id: null, check: false })
  })
})
