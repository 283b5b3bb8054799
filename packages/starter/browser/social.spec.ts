import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { openPage } from '#starter/helpers/chromium'
import { afterReplies } from '#starter/helpers/passwords'
import { signInOnPage } from '#starter/helpers/sign_in_page'
import { identitiesOf, person, useSocial } from '#starter/helpers/social'
import { stopClock } from '#starter/helpers/time'
import { serverUrl } from '#starter/helpers/server_url'

const METHODS = '/account/sign-in-methods'

async function setUp() {
  const baseURL = await serverUrl()
  const social = await useSocial({}, baseURL)
  return { ...social, page: await openPage({ baseURL }) }
}

test.group('Signing in through a provider, in a browser', () => {
  test('a button makes an account and signs in, remembered when asked, and confirms later', async ({
    assert,
  }) => {
    const tick = stopClock()
    const { provider, page } = await setUp()
    const complaints: string[] = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    const ann = person()
    provider.visitor = ann
    await page.goto('/login')
    await page.getByLabel('Remember me').check()
    await page.getByRole('button', { name: 'Continue with Fake' }).click()
    await page.waitForURL('**/account')
    await page.getByText('Your account has been created.').waitFor()
    assert.include(await page.textContent('main'), String(ann.email))

    tick(3 * 60 * 60)
    await page.goto(METHODS)
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
    provider.visitor = { ...ann, auth_time: Math.floor(Date.now() / 1000) }
    await page.getByRole('button', { name: 'Continue with Fake' }).click()
    await page.getByText('You have no password').waitFor()

    await page.getByRole('button', { name: 'Disconnect fake' }).click()
    await page.getByRole('button', { name: 'Disconnect it' }).click()
    await page.getByText('Without a password, one connection has to stay').waitFor()
    assert.deepEqual(complaints, [])
  })

  test('a provider that does not know the person refuses to confirm', async () => {
    const tick = stopClock()
    const { provider, page } = await setUp()
    provider.visitor = person()
    await page.goto('/register')
    await page.getByRole('button', { name: 'Continue with Fake' }).click()
    await page.waitForURL('**/account')
    tick(60 * 60)
    await page.goto(METHODS)
    provider.visitor = person({ auth_time: Math.floor(Date.now() / 1000) })
    await page.getByRole('button', { name: 'Continue with Fake' }).click()
    await page.getByText('not connected with this account').waitFor()
  })

  test('an account is connected and disconnected', async ({ assert }) => {
    const { provider, page } = await setUp()
    const user = await UserFactory.create()
    await signInOnPage(page, user)
    provider.visitor = person()
    await page.goto(METHODS)
    await page.getByRole('button', { name: 'Connect Fake' }).click()
    await page.getByText('Verify your e-mail address first').waitFor()

    await user.merge({ emailVerifiedAt: Date.now() }).save()
    await page.getByRole('button', { name: 'Connect Fake' }).click()
    await page.getByText('Fake is connected to your account.').waitFor()
    assert.lengthOf(await identitiesOf(user), 1)
    await page.getByRole('button', { name: 'Disconnect fake' }).click()
    await page.getByRole('button', { name: 'Disconnect it' }).click()
    await page.getByText('It is disconnected').waitFor()
    assert.lengthOf(await identitiesOf(user), 0)
  })

  test('the owner of an account signs in, and connects what waits', async ({ assert }) => {
    const { provider, page } = await setUp()
    const user = await UserFactory.merge({ emailVerifiedAt: Date.now() }).create()
    provider.visitor = person({ email: user.email })
    await page.goto('/login')
    await page.getByRole('button', { name: 'Continue with Fake' }).click()
    await page.getByText('Sign in to it, and connect Fake').waitFor()
    await page.getByLabel('E-mail address').fill(user.email)
    await page.getByLabel('Password').fill(FACTORY_PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Connect Fake' }).click()
    await page.getByText('It is connected to your account.').waitFor()
    assert.lengthOf(await identitiesOf(user), 1)
  })

  test('what took too long leads back to the account', async () => {
    const tick = stopClock()
    const { provider, page } = await setUp()
    const user = await UserFactory.merge({ emailVerifiedAt: Date.now() }).create()
    provider.visitor = person({ email: user.email })
    await page.goto('/login')
    await page.getByRole('button', { name: 'Continue with Fake' }).click()
    await page.getByText('Sign in to it, and connect Fake').waitFor()
    await page.getByLabel('E-mail address').fill(user.email)
    await page.getByLabel('Password').fill(FACTORY_PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Connect Fake to your account?' }).waitFor()
    tick(30 * 60)
    await page.getByRole('button', { name: 'Connect Fake' }).click()
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
  })

  test('an address that nobody vouches for is verified by the link of a mail', async ({
    assert,
  }) => {
    const { provider, page, mails } = await setUp()
    provider.visitor = person({ email_verified: false })
    await page.goto('/login')
    await page.getByRole('button', { name: 'Continue with Fake' }).click()
    await page.getByText('Open its link in this browser').waitFor()
    await afterReplies()
    await page.goto(mails[0]!.link!)
    await page.waitForURL('**/account')
    assert.include(await page.textContent('main'), String(provider.visitor.email))
  })
})
