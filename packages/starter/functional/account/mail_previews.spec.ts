import i18nManager from '@adonisjs/i18n/services/main'
import { test } from '@japa/runner'

import SecurityMail from '#kit/accounts/security_mail'
import { Visitor } from '#starter/helpers/visitor'

test.group('Previews of mails', () => {
  test("show the mail of an application's own event, whatever its details are called", async ({
    assert,
    cleanup,
  }) => {
    const words = i18nManager.getTranslationsFor('en')
    const own = {
      'mails.security.phone_changed.subject': 'Phone changed',
      'mails.security.phone_changed.before':
        'It is {phone} in {days, plural, one {a day} other {# days}}.',
      'mails.security.phone_changed.button': 'Check',
    }
    Object.assign(words, own)
    cleanup(() => Object.keys(own).forEach((key) => delete words[key]))

    const response = await new Visitor().get('/dev/mails/phone_changed.txt')
    assert.equal(response.status, 200)
    assert.include(await response.text(), 'It is {phone} in 2 days.')
  })

  test('leave out what an empty subject turns off, in the language that has it', async ({
    assert,
    cleanup,
  }) => {
    const words = i18nManager.getTranslationsFor('en')
    const key = 'mails.security.token_created.subject'
    const subject = words[key]!
    words[key] = ''
    cleanup(() => void (words[key] = subject))
    const ask = async (language: string) => {
      const headers = { 'accept': 'text/html', 'accept-language': language }
      return (await new Visitor().get('/dev/mails', { headers })).text()
    }
    assert.isFalse(SecurityMail.isFor('token_created'))
    assert.notInclude(await ask('en'), '/dev/mails/token_created')
    assert.include(await ask('de'), '/dev/mails/token_created')
  })
})
