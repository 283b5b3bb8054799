import { test } from '@japa/runner'

import { openPage } from '#tests/helpers/chromium'
import { overflow } from '#tests/helpers/page_findings'
import { serverUrl } from '#tests/helpers/visitor'

test.group('Accounts in a browser', () => {
  for (const javaScriptEnabled of [true, false]) {
    const mode = javaScriptEnabled ? 'with' : 'without'

    test(`register, be signed in, sign out and in again, and be recognised ${mode} JavaScript`, async ({
      assert,
    }) => {
      const page = await openPage({ javaScriptEnabled, baseURL: await serverUrl() })
      const problems: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error') {
          problems.push(message.text())
        }
      })
      const email = `browser-${mode}@example.com`

      await page.goto('/register')
      await page.getByLabel('Full name').fill('Ann Example')
      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Password', { exact: true }).fill('a secret of mine')
      await page.getByLabel('Password again').fill('a secret of mine')
      await page.getByRole('button', { name: 'Create account' }).click()

      await page.waitForURL('**/account')
      assert.include(await page.textContent('[role=status]'), 'Your account has been created')
      await page.goto('/login')
      assert.match(page.url(), /\/account$/)
      await page.locator('summary').click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL('**/login')

      await page.getByLabel('E-mail address').fill(email)
      await page.getByLabel('Password').fill('not my secret')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.waitForURL('**/login')
      assert.include(await page.textContent('[role=alert]'), 'is wrong')
      assert.equal(await page.getByLabel('E-mail address').inputValue(), email)

      await page.getByLabel('Password').fill('a secret of mine')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.waitForURL('**/account')
      assert.include(await page.textContent('main'), email)

      await page.locator('summary').click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.waitForURL('**/login')
      await page.goto('/account')
      assert.match(page.url(), /\/login$/)

      /* The page that needs a sign-in is refused by a redirect, which is no problem of the page's. */
      assert.deepEqual(problems, [])
    })
  }

  test('a form whose session has ended says that it has expired', async () => {
    const page = await openPage({ baseURL: await serverUrl() })
    await page.goto('/login')
    await page.evaluate(`document.querySelector('input[name=_token]').value = 'stale'`)
    await page.getByLabel('E-mail address').fill('a@example.com')
    await page.getByLabel('Password').fill('whatever')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'This form has expired' }).waitFor()
    await page.getByRole('link', { name: 'Go to the start page' }).waitFor()
  })

  test('pages keep what they hold when the window is as narrow as a phone', async ({ assert }) => {
    const page = await openPage({
      baseURL: await serverUrl(),
      viewport: { width: 320, height: 640 },
    })
    for (const path of ['/login', '/register', '/nowhere']) {
      await page.goto(path)
      assert.equal(await overflow(page), 0, path)
    }
  })
})
