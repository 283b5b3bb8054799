import i18nManager from '@adonisjs/i18n/services/main'
import { test } from '@japa/runner'

import SecurityMail from '#kit/accounts/security_mail'
import { HTML } from '#starter/helpers/consent'
import { replaceForTest } from '#starter/helpers/replace'
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

  test("show an application's own mail, with a button where its words have one", async ({
    assert,
    cleanup,
  }) => {
    const words = i18nManager.getTranslationsFor('en')
    const own = {
      'mails.billing.receipt.subject': 'Receipt {number}',
      'mails.billing.receipt.before': 'You paid for {seats, plural, one {a seat} other {# seats}}.',
      'mails.billing.receipt.button': 'See the receipt',
      'mails.goodbye.subject': 'Goodbye',
      'mails.goodbye.before': 'You have left.',
    }
    Object.assign(words, own)
    cleanup(() => Object.keys(own).forEach((key) => delete words[key]))

    const ask = async (path: string) => {
      const response = await new Visitor().get(`/dev/mails${path}`, { headers: HTML })
      assert.equal(response.status, 200, path)
      return response.text()
    }
    assert.include(await ask(''), 'href="/dev/mails/billing.receipt.txt"')
    assert.include(await ask('/billing.receipt.txt'), 'You paid for 2 seats.')
    assert.include(await ask('/billing.receipt'), 'See the receipt')
    assert.notInclude(await ask('/goodbye'), 'href=')
  })

  test('leave out what an empty subject turns off, in the language that has it', async ({
    assert,
  }) => {
    const words = i18nManager.getTranslationsFor('en')
    replaceForTest(words, 'mails.security.token_created.subject', '')
    const ask = async (language: string) => {
      const headers = { 'accept': 'text/html', 'accept-language': language }
      return (await new Visitor().get('/dev/mails', { headers })).text()
    }
    assert.isFalse(SecurityMail.isFor('token_created'))
    assert.notInclude(await ask('en'), '/dev/mails/token_created')
    assert.include(await ask('de'), '/dev/mails/token_created')
  })
})
