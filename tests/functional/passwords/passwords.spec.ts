import app from '@adonisjs/core/services/app'
import testUtils from '@adonisjs/core/services/test_utils'
import mail from '@adonisjs/mail/services/main'
import { test } from '@japa/runner'

import { Background } from 'adonis-auth-kit/process'
import { UserFactory } from '#database/factories/user_factory'
import PasswordResetMail from 'adonis-auth-kit/password_reset/password_reset_mail'

test.group('Password resets', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('GET /password/forgot shows the form', async ({ client }) => {
    const response = await client.get('/password/forgot').accept('html')
    response.assertStatus(200)
  })

  test('POST /password/email mails a link, and answers the same for unknown addresses', async ({
    client,
    assert,
    cleanup,
  }) => {
    const { mails } = mail.fake()
    cleanup(() => mail.restore())
    const { email } = await UserFactory.create()
    const known = await client.post('/password/email').json({ email })
    const unknown = await client.post('/password/email').json({ email: 'nobody@example.com' })
    assert.deepEqual([known.status(), known.text()], [unknown.status(), unknown.text()])
    const background = await app.container.make(Background)
    await background.settled()
    mails.assertSent(PasswordResetMail)
  })

  test('POST /password/reset refuses a token that is not one', async ({ client }) => {
    const { email } = await UserFactory.create()
    const password = 'correct horse battery staple'
    const response = await client
      .post('/password/reset')
      .json({ email, token: 'x', password, password_confirmation: password })
    response.assertStatus(400)
    response.assertBodyContains({ error: 'invalid_grant' })
  })

  test('GET /password/reset with a link that is not one asks for another', async ({ client }) => {
    const response = await client.get('/password/reset?token=x').accept('html').redirects(0)
    response.assertStatus(302)
    response.assertHeader('location', '/password/forgot')
  })
})
