import testUtils from '@adonisjs/core/services/test_utils'
import mail from '@adonisjs/mail/services/main'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'

test.group('E-mail verification', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(() => {
    mail.fake()
    return () => mail.restore()
  })

  test('GET {path} is a page of the account')
    .with([{ path: '/account/email' }, { path: '/email/verify' }])
    .run(async ({ client }, { path }) => {
      const response = await client
        .get(path)
        .accept('html')
        .loginAs(await UserFactory.create())
      response.assertStatus(200)
    })

  test('POST /email/verify sends the link again', async ({ client }) => {
    const response = await client.post('/email/verify').loginAs(await UserFactory.create())
    response.assertStatus(200)
  })

  test('POST /account/email proposes an address, which is the account’s when it is verified', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    const response = await client
      .post('/account/email')
      .loginAs(user)
      .json({ email: 'new@example.com', current_password: FACTORY_PASSWORD })
    response.assertStatus(200)
    const before = user.email
    await user.refresh()
    assert.equal(user.email, before)
    const cancelled = await client.post('/account/email/cancel').loginAs(user)
    cancelled.assertStatus(200)
  })

  test('GET /email/verify/:id with a link that is not one verifies nothing', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    await client.get(`/email/verify/${user.id}?signature=x`).accept('html')
    await user.refresh()
    assert.isNull(user.emailVerifiedAt)
  })
})
