import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'

test.group('Two-factor authentication', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('is set up with a code of the app, and a wrong one is refused', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    const state = await client.get('/account/two-factor').loginAs(user)
    state.assertBodyContains({ enabled: false })
    const setup = await client.post('/account/two-factor').loginAs(user)
    setup.assertStatus(201)
    assert.properties(setup.body(), ['secret', 'uri', 'qr_code'])
    const wrong = await client
      .post('/account/two-factor/enable')
      .loginAs(user)
      .json({ code: '000000' })
    wrong.assertStatus(422)
  })

  test('codes that were never made are not renewed, and what is off can be turned off', async ({
    client,
  }) => {
    const user = await UserFactory.create()
    const renewed = await client.post('/account/two-factor/recovery-codes').loginAs(user)
    renewed.assertStatus(409)
    const disabled = await client.post('/account/two-factor/disable').loginAs(user)
    disabled.assertBody({ enabled: false })
  })

  test('GET /login/two-factor is for those who have given their password', async ({ client }) => {
    const response = await client.get('/login/two-factor').accept('html').redirects(0)
    response.assertStatus(302)
    const program = await client.post('/login/two-factor').json({ code: '123456' })
    program.assertStatus(401)
  })
})
