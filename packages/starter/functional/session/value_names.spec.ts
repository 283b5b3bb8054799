import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import SessionModel from '#kit/session/models/session'
import { askForCode, useMailCodes } from '#starter/helpers/mail_code'
import { begin, person, signIn, useSocial } from '#starter/helpers/social'
import { turnOn } from '#starter/helpers/two_factor'
import { Visitor, signedIn } from '#starter/helpers/visitor'

/** Processes of two versions share sessions while a new one is deployed. */
test.group('Names of values in sessions, which other versions know', (group) => {
  group.each.setup(async () => {
    await SessionModel.query().delete()
  })

  async function names() {
    const { data } = await SessionModel.query().firstOrFail()
    return Object.keys(JSON.parse(data)).sort()
  }

  test('a login that waits for its next step', async ({ assert }) => {
    const user = await UserFactory.create()
    await turnOn(user)
    await new Visitor().login(user.email, FACTORY_PASSWORD)
    assert.deepEqual(await names(), ['pending_login'])
  })

  test('a second factor that is being set up', async ({ assert }) => {
    const { visitor } = await signedIn()
    await visitor.send('/account/two-factor')
    assert.deepEqual(await names(), ['two_factor_setup'])
  })

  test('challenges of passkeys', async ({ assert }) => {
    await new Visitor().send('/login/passkey/options')
    assert.deepEqual(await names(), ['passkey_challenges'])
  })

  test('a code that was mailed', async ({ assert }) => {
    await useMailCodes()
    await askForCode(new Visitor(), 'nobody@example.com')
    assert.include(await names(), 'mail_code')
  })

  test('sign-ins that have begun at a provider', async ({ assert }) => {
    await useSocial()
    await begin(new Visitor())
    assert.deepEqual(await names(), ['social_attempts'])
  })

  test('an identity that waits for the owner of the account', async ({ assert }) => {
    const social = await useSocial()
    const ann = person()
    await UserFactory.merge({ email: String(ann.email), emailVerifiedAt: Date.now() }).create()
    await signIn(social, ann)
    assert.include(await names(), 'social_join')
  })

  test('an address that was typed', async ({ assert }) => {
    const form = { email: 'nobody@example.com' }
    await new Visitor().post('/password/email', { form, headers: { accept: 'text/html' } })
    assert.include(await names(), 'typed_address')
  })

  test('a secret for the next page', async ({ assert }) => {
    const { visitor } = await signedIn()
    const form = { 'name': 'My laptop', 'abilities[]': 'posts:read', '_token': visitor.csrfToken }
    await visitor.post('/account/tokens', { form, headers: { accept: 'text/html' } })
    const { data } = await SessionModel.query().firstOrFail()
    assert.include(data, '"shown_once":')
  })

  test('the language that somebody has chosen', async ({ assert }) => {
    await new Visitor().post('/language', { form: { language: 'de' } })
    assert.deepEqual(await names(), ['language'])
  })
})
