import { test } from '@japa/runner'
import type { Page } from 'playwright'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { openPage } from '#tests/helpers/chromium'
import { findings, foreignRequests, overflow } from '#tests/helpers/page_findings'
import { signInOnPage } from '#tests/helpers/sign_in_page'
import { serverUrl } from '#tests/helpers/visitor'

const STRANGER = ['/', '/posts', '/login', '/register', '/password/forgot', '/nowhere']
const SIGNED_IN = [
  '/',
  '/account',
  '/account/password',
  '/account/tokens',
  '/account/connected-apps',
  '/account/delete',
]

async function signIn(page: Page) {
  const user = await UserFactory.create()
  await signInOnPage(page, user)
  return user
}

test.group('Pages in a browser', () => {
  for (const width of [390, 1280]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`nothing is inaccessible, wider than the window or loaded from elsewhere, ${colorScheme} at ${width} px`, async ({
        assert,
      }) => {
        const baseURL = await serverUrl()
        const page = await openPage({ baseURL, colorScheme, viewport: { width, height: 800 } })
        const foreign = foreignRequests(page, baseURL)
        async function look(paths: string[]) {
          for (const path of paths) {
            await page.goto(path)
            assert.deepEqual(await findings(page), [], path)
            assert.equal(await overflow(page), 0, path)
          }
        }
        await look(STRANGER)
        await signIn(page)
        await look(SIGNED_IN)
        assert.deepEqual(foreign, [])
      })
    }
  }

  test('every page has a link to somewhere', async ({ assert }) => {
    const page = await openPage({ baseURL: await serverUrl() })
    for (const path of STRANGER) {
      await page.goto(path)
      assert.isAbove(await page.getByRole('main').getByRole('link').count(), 0, path)
    }
  })

  test('the switch between light and dark remembers', async ({ assert }) => {
    const page = await openPage({ baseURL: await serverUrl(), colorScheme: 'light' })
    const scheme = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme')
    await page.goto('/')
    await page.getByRole('button', { name: 'Switch between light and dark' }).click()
    assert.equal(await scheme(), 'dark')
    await page.goto('/posts')
    assert.equal(await scheme(), 'dark')
    assert.equal(await page.getAttribute('html', 'data-theme'), 'dark')
  })

  test('the account menu opens and closes with the keyboard', async ({ assert }) => {
    const page = await openPage({ baseURL: await serverUrl() })
    await signIn(page)
    await page.locator('summary').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.keyboard.press('Escape')
    assert.isFalse(await page.getByRole('button', { name: 'Sign out' }).isVisible())
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'SUMMARY')
  })

  for (const javaScriptEnabled of [true, false]) {
    test(`from the start page to a connected API token, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async ({
      assert,
    }) => {
      const page = await openPage({ baseURL: await serverUrl(), javaScriptEnabled })
      const { email } = await UserFactory.make()
      await page.goto('/')
      await page.getByRole('main').getByRole('link', { name: 'Create an account' }).click()
      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Password', { exact: true }).fill(FACTORY_PASSWORD)
      await page.getByLabel('Password again').fill(FACTORY_PASSWORD)
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.getByRole('navigation', { name: 'Account' }).getByText('API tokens').click()
      await page.getByLabel('Name').fill('My laptop')
      await page.getByLabel('Read your posts').check()
      await page.getByRole('button', { name: 'Create the token' }).click()

      const token = await page.locator('#new-token').textContent()
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(await serverUrl('/api/posts'), { headers })
      assert.equal(response.status, 200)

      await page.getByRole('button', { name: 'Revoke My laptop' }).click()
      await page.getByText('The token has been revoked.').waitFor()
      const refused = await fetch(await serverUrl('/api/posts'), { headers })
      assert.equal(refused.status, 401)
    })
  }

  test('a person changes their password and deletes their account', async ({ assert }) => {
    const page = await openPage({ baseURL: await serverUrl() })
    const user = await signIn(page)
    await page.goto('/account/password')
    await page.getByLabel('Current password').fill('not my secret')
    await page.getByLabel('New password', { exact: true }).fill('another secret')
    await page.getByLabel('New password again').fill('another secret')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('This is not your password').waitFor()

    await page.getByLabel('Current password').fill(FACTORY_PASSWORD)
    await page.getByLabel('New password', { exact: true }).fill('another secret')
    await page.getByLabel('New password again').fill('another secret')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('Your password has been changed').waitFor()

    await page.goto('/account/delete')
    await page.getByLabel('Current password').fill('another secret')
    await page.getByRole('button', { name: 'Delete my account' }).click()
    await page.getByText('Your account has been deleted').waitFor()
    await page.goto('/login')
    await page.getByLabel('E-mail address').fill(user.email)
    await page.getByLabel('Password').fill('another secret')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    assert.include(await page.textContent('[role=alert]'), 'is wrong')
  })
})
