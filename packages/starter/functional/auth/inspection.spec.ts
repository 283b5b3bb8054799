import { inspect } from 'node:util'

import router from '@adonisjs/core/services/router'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { ApiToken } from '#kit/api_token/facade'
import { Session } from '#kit/session/facade'
import { UserFactory } from '#database/factories/user_factory'
import { middleware } from '#start/kernel'

/*
| A route of these tests alone: what `console.log` would print.
*/
router
  .get('/_test/inspection', async ({ auth, session }) => {
    const guards = [auth.use('web'), auth.use('api'), auth.use('oauth')]
    const printed = [session, auth, ...guards].map((object) => inspect(object)).join('\n')
    return { printed, id: await Session.id(), token: await Session.token() }
  })
  .use(middleware.auth({ guards: ['web', 'api', 'oauth'] }))

test.group('What console.log shows of authentication', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('neither the id nor the CSRF token of a session', async ({ assert, client }) => {
    const response = await client.get('/_test/inspection').loginAs(await UserFactory.create())

    const { printed, id, token } = response.body()
    assert.include(printed, 'RequestSession')
    assert.notInclude(printed, id)
    assert.notInclude(printed, token)
  })

  test('no API token, by which a guard has recognised the caller', async ({ assert, client }) => {
    const { plainText } = await ApiToken.create(await UserFactory.create())
    const response = await client.get('/_test/inspection').bearerToken(plainText)

    response.assertStatus(200)
    assert.notInclude(response.body().printed, plainText.split('|')[1]!)
  })

  test('no access token', async ({ assert, client }) => {
    const user = await UserFactory.create()
    const request = client.get('/_test/inspection').withGuard('oauth').loginAs(user)
    const response = await request

    response.assertStatus(200)
    const signature = String(request.request.get('authorization')).split('.')[2]!
    assert.isAbove(signature.length, 20)
    assert.notInclude(response.body().printed, signature)
  })
})
