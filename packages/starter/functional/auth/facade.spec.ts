import router from '@adonisjs/core/services/router'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import type { GuardName } from '#kit/auth/guard_types'
import { Auth } from '#kit/auth/facade'
import { currentUser } from '#kit/auth/protection'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { countHashes } from '#starter/helpers/passwords'
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
router.post('/_test/facade/sign_in', async ({ auth, request }) => {
  const login = request.input('login')
  return { attempt: await Auth.attempt(login), validate: await auth.validate(login) }
})
router.post('/_test/facade/default_guard', async ({ request }) => {
  const attempt = await Auth.attempt(request.only(['email', 'password']), null)
  const user = await Auth.login((await Auth.id())!, null)
  return { attempt, id: user.id }
})
router.post('/_test/facade/options', async ({ request }) => {
  const { options, ...login } = request.only(['email', 'password', 'options'])
  const refused = await Auth.attempt(login, options).catch((error: Error) => error.message)
  return { refused, check: await Auth.check() }
})
router.post('/_test/facade/prove', async ({ request }) => ({
  confirm: await Auth.confirm(request.input('login')),
}))

test.group('Auth facade', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('options of a login that are no object are refused: {$self}')
    .with([true, 5])
    .run(async ({ assert, client }, options) => {
      const { email } = await UserFactory.create()
      const json = { email, password: FACTORY_PASSWORD, options }
      const response = await client.post('/_test/facade/options').json(json)
      const refused =
        'A login takes the name of a guard, or options as an object: { remember: true }'
      assert.deepEqual(response.body(), { refused, check: false })
    })

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

  test('null in place of a guard is the default guard', async ({ client }) => {
    const { id, email } = await UserFactory.create()
    const credentials = { email, password: FACTORY_PASSWORD }
    const response = await client.post('/_test/facade/default_guard').json(credentials)
    response.assertBody({ attempt: true, id })
  })

  for (const login of [
    undefined,
    null,
    'ann@example.com',
    { email: null, password: null },
    { email: 'ann@example.com', password: undefined },
    { email: { toString: null, valueOf: null }, password: 'wrong-horse' },
  ]) {
    test(`credentials of another kind are wrong ones: ${JSON.stringify(login)}`, async ({
      assert,
      client,
    }) => {
      await UserFactory.merge({ email: 'ann@example.com' }).create()
      const signIn = client.post('/_test/facade/sign_in').json({ login })
      assert.deepEqual((await signIn).body(), { attempt: false, validate: null })
      const prove = client.post('/_test/facade/prove').json({ login })
      assert.deepEqual((await prove.loginAs(await UserFactory.create())).body(), { confirm: false })
    })
  }

  test('a sign-in without an address costs the hash of an unknown address', async ({
    assert,
    client,
  }) => {
    for (const email of [undefined, null, 'nobody@example.com']) {
      const login = { email, password: FACTORY_PASSWORD }
      const hashes = await countHashes(async () => {
        await client.post('/_test/facade/sign_in').json({ login })
      })
      assert.equal(hashes, 2, String(email))
    }
  })
})
