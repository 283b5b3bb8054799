import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import type { Page } from 'playwright'

import { ApiToken } from '#kit/api_token/facade'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import User from '#models/user'
import { openPage } from '#starter/helpers/chromium'
import { authorizationPath } from '#starter/helpers/consent'
import { beginDevice, useDevices } from '#starter/helpers/device'
import { limit } from '#starter/helpers/limits'
import { isolate, registerClient } from '#starter/helpers/oauth'
import { givePassword, signInOnPage } from '#starter/helpers/sign_in_page'
import { serverUrl } from '#starter/helpers/server_url'

const CALLBACK = 'https://client.example.com/callback'

async function fillRegistration(page: Page, email: string) {
  await page.goto('/register')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(FACTORY_PASSWORD)
  await page.getByLabel('Password again').fill(FACTORY_PASSWORD)
}

/** The session of this browser is over, and the page that is open does not know. */
async function endSession(page: Page) {
  await page.context().clearCookies({ name: /service_session$/ })
}

test.group('No form loses anything', (group) => {
  group.each.setup(isolate)

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with JavaScript' : 'without JavaScript'
    const open = async () => openPage({ baseURL: await serverUrl(), javaScriptEnabled })
    const email = () => `${crypto.randomUUID()}@example.com`

    test(`a double click on "Create account" makes one account and signs in, ${how}`, async ({
      assert,
    }) => {
      const page = await open()
      const address = email()
      await fillRegistration(page, address)
      await page.getByRole('button', { name: 'Create account' }).dblclick()
      /* Not waitForURL, which fails when the second click takes the place of the first. */
      await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
      assert.lengthOf(await User.findManyBy({ email: address }), 1)
    })

    test(`what is not ticked on the consent page stays so, ${how}`, async ({ assert }) => {
      const page = await open()
      await signInOnPage(page, await UserFactory.create())
      const client = await registerClient({ name: 'Shop', redirectUris: [CALLBACK] })
      const scope = 'posts:read posts:write'
      await page.goto(authorizationPath(client, { redirect_uri: CALLBACK, scope }))
      const boxes = page.getByRole('checkbox')
      await boxes.nth(0).uncheck()
      await boxes.nth(1).uncheck()
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
      await page.getByText('Tick what you allow').waitFor()
      assert.isFalse(await boxes.nth(0).isChecked())
      assert.isFalse(await boxes.nth(1).isChecked())
    })

    test(`what is not ticked for a device stays so, and its code is kept, ${how}`, async ({
      assert,
    }) => {
      const page = await open()
      await signInOnPage(page, await UserFactory.create())
      await useDevices()
      await page.goto('/device?user_code=bbbb-bbbb')
      assert.equal(await page.getByLabel('Code').inputValue(), 'bbbb-bbbb')
      const device = await beginDevice(await registerClient({ name: 'TV' }))
      await page.goto(`/device?user_code=${device.user_code}`)
      for (const box of await page.getByRole('checkbox').all()) {
        await box.uncheck()
      }
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
      await page.getByText('Tick what you allow').waitFor()
      assert.isFalse(await page.getByRole('checkbox').first().isChecked())
    })

    test(`a refused token form keeps its permissions and its lifetime, ${how}`, async ({
      assert,
    }) => {
      const page = await open()
      await signInOnPage(page, await UserFactory.create())
      await page.goto('/account/tokens')
      await page.getByLabel('Name').evaluate((field: any) => field.removeAttribute('required'))
      await page.getByLabel('Read your posts').check()
      await page.getByLabel('Expires after').selectOption('604800')
      await page.getByRole('button', { name: 'Create the token' }).click()
      await page.getByText('Name is missing').waitFor()
      assert.isTrue(await page.getByLabel('Read your posts').isChecked())
      assert.equal(await page.getByLabel('Expires after').inputValue(), '604800')
    })

    test(`reloading the page of a new token makes no other, ${how}`, async ({ assert }) => {
      const page = await open()
      const user = await UserFactory.create()
      await signInOnPage(page, user)
      await page.goto('/account/tokens')
      await page.getByLabel('Name').fill('Laptop')
      await page.getByLabel('Read your posts').check()
      await page.getByRole('button', { name: 'Create the token' }).click()
      await page.getByRole('heading', { name: 'Your new token' }).waitFor()
      await page.reload()
      assert.equal(await page.getByRole('heading', { name: 'Your new token' }).count(), 0)
      assert.lengthOf(await ApiToken.tokens(user), 1)
    })

    test(`a form that is sent too often keeps the address and says the seconds, ${how}`, async ({
      assert,
    }) => {
      await limit({
        failedLogins: {
          perSubjectAndAddress: { attempts: 1, seconds: 60 },
          perAddress: { attempts: 60, seconds: 60 },
        },
      })
      const page = await open()
      const address = email()
      await givePassword(page, address)
      await page.getByText('The e-mail address or the password is wrong.').waitFor()
      await page.getByLabel('Password').fill('another one')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByText(/Too many attempts. Try again in \d+ seconds?./).waitFor()
      assert.equal(new URL(page.url()).pathname, '/login')
      assert.equal(await page.getByLabel('E-mail address').inputValue(), address)
    })

    test(`a form that is sent after the session has ended comes back with its text, ${how}`, async ({
      assert,
    }) => {
      const page = await open()
      const user = await UserFactory.create()
      await signInOnPage(page, user)
      await endSession(page)
      await page.getByLabel('Full name (optional)').fill('A long new name')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('You were signed out in the meantime.').waitFor()
      await page.getByLabel('E-mail address').fill(user.email)
      await page.getByLabel('Password').fill(FACTORY_PASSWORD)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.waitForURL('**/account')
      assert.equal(await page.getByLabel('Full name (optional)').inputValue(), 'A long new name')
    })

    test(`the page of an expired form leads back to its text, ${how}`, async ({ assert }) => {
      const page = await open()
      await signInOnPage(page, await UserFactory.create())
      await page.getByLabel('Full name (optional)').fill('A long new name')
      await page
        .locator('main input[name=_token]')
        .evaluate((field: any) => (field.value = 'stale'))
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: 'This form has expired' }).waitFor()
      await page.getByText(/Request \S+/).waitFor()
      await page.getByRole('link', { name: 'Go back' }).click()
      assert.equal(await page.getByLabel('Full name (optional)').inputValue(), 'A long new name')
    })

    test(`the sign-in page says which app asks, ${how}`, async () => {
      const page = await open()
      const client = await registerClient({ name: 'Shop', redirectUris: [CALLBACK] })
      await page.goto(authorizationPath(client, { redirect_uri: CALLBACK, scope: 'posts:read' }))
      await page.getByText('to continue to Shop').waitFor()
    })

    test(`signing out is said, ${how}`, async () => {
      const page = await open()
      await signInOnPage(page, await UserFactory.create())
      await page.locator('.menu summary').click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('You are signed out.').waitFor()
    })

    // feature: passwords
    test(`the address travels from the sign-in page to the forgotten password, ${how}`, async ({
      assert,
    }) => {
      const page = await open()
      const address = email()
      await givePassword(page, address)
      await page.getByText('The e-mail address or the password is wrong.').waitFor()
      await page.getByRole('link', { name: 'Forgot your password?' }).click()
      assert.equal(await page.getByLabel('E-mail address').inputValue(), address)
    })

    test(`a reset link that does not work says so when it is opened, ${how}`, async ({
      assert,
    }) => {
      const page = await open()
      await page.goto('/password/reset?token=x&email=ann@example.com')
      await page.getByText('This link does not work').waitFor()
      assert.equal(await page.getByLabel('E-mail address').inputValue(), 'ann@example.com')
    })
    // /feature

    test(`what destroys something asks first, ${how}`, async ({ assert }) => {
      const page = await open()
      const user = await UserFactory.create()
      await ApiToken.create(user, { name: 'Laptop' })
      await signInOnPage(page, user)
      await page.goto('/account/tokens')
      const revoke = page.getByRole('button', { name: 'Revoke Laptop' })
      await revoke.click()
      await page.getByRole('heading', { name: 'Revoke Laptop?' }).waitFor()
      await page.getByRole(javaScriptEnabled ? 'button' : 'link', { name: 'Cancel' }).click()
      assert.lengthOf(await ApiToken.tokens(user), 1)
      await revoke.click()
      await page.getByRole('button', { name: 'Revoke the token' }).click()
      await page.getByText('The token has been revoked.').waitFor()
      assert.lengthOf(await ApiToken.tokens(user), 0)
    })
  }

  test('the first empty field has the focus, and after an error the first refused one', async () => {
    const page = await openPage({ baseURL: await serverUrl() })
    const hasFocus = (id: string) => page.locator(`#${id}:focus`).waitFor()
    await page.goto('/register')
    await hasFocus('fullName')
    await page.getByLabel('E-mail address').fill('ann@nowhere')
    await page.getByLabel('Password', { exact: true }).fill(FACTORY_PASSWORD)
    await page.getByLabel('Password again').fill('something else')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('The two passwords are not the same').waitFor()
    await hasFocus('email')
    await page.goto('/login')
    await hasFocus('email')
  })

  test('where permissions are missing, the first of them has the focus', async () => {
    const page = await openPage({ baseURL: await serverUrl() })
    await signInOnPage(page, await UserFactory.create())
    for (const path of ['/account/tokens', '/account/access-tokens']) {
      await page.goto(path)
      await page.getByLabel('Name').fill('Laptop')
      await page.getByRole('button', { name: 'Create the token' }).click()
      await page.locator('fieldset:has(.field-error) label:first-of-type input:focus').waitFor()
    }
  })

  test('choosing a language stays on a page whose address the browser keeps to itself', async ({
    assert,
  }) => {
    const page = await openPage({ baseURL: await serverUrl() })
    const { email } = await UserFactory.create()
    const manager = await app.container.make('auth_manager')
    const token = (await manager.broker().createToken(email))!
    const link = `/password/reset?${new URLSearchParams({ token, email })}`
    await page.goto(link)
    await page.getByRole('button', { name: 'Deutsch' }).click()
    await page.locator('html[lang=de]').waitFor()
    const { pathname, search } = new URL(page.url())
    assert.equal(pathname + search, link)
  })

  test('every form is sent once, and again after Back', async ({ assert }) => {
    const page = await openPage({ baseURL: await serverUrl() })
    await signInOnPage(page, await UserFactory.create())
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') {
        sent.push(new URL(request.url()).pathname)
      }
    })
    await page.getByRole('button', { name: 'Save' }).dblclick()
    await page.getByText('Your profile has been changed.').waitFor()
    assert.deepEqual(sent, ['/account'])
    await page.goBack()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Your profile has been changed.').waitFor()
    assert.deepEqual(sent, ['/account', '/account'])
  })

  test('a form that the person has stopped can be sent again', async () => {
    const page = await openPage({ baseURL: await serverUrl() })
    await signInOnPage(page, await UserFactory.create())
    await page.evaluate(`navigation.addEventListener('navigate', () => setTimeout(stop), { once: true });
      document.querySelector('main form button').click()`)
    await page.locator('main form[aria-busy]').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Your profile has been changed.').waitFor()
  })

  test('the second click of a double click is no answer to the question that it opens', async ({
    assert,
  }) => {
    const page = await openPage({ baseURL: await serverUrl() })
    const user = await UserFactory.create()
    await ApiToken.create(user, { name: 'Laptop' })
    await signInOnPage(page, user)
    await page.goto('/account/tokens')
    const revoke = page.getByRole('button', { name: 'Revoke Laptop' })
    await revoke.click()
    const answer = page.getByRole('button', { name: 'Revoke the token' })
    const { x, y } = (await answer.boundingBox())!
    await page.getByRole('button', { name: 'Cancel' }).click()
    const place = `position: fixed; left: ${x}px; top: ${y}px`
    await revoke.evaluate((button: any, style) => (button.style.cssText = style), place)
    await revoke.dblclick()
    await answer.waitFor()
    assert.lengthOf(await ApiToken.tokens(user), 1)
  })

  test('"Copied" goes away', async () => {
    const page = await openPage({
      baseURL: await serverUrl(),
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.goto('/')
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    await page.getByRole('button', { name: 'Copied' }).waitFor({ state: 'detached' })
  })
})
