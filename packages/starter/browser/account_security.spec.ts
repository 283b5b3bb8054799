import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { openPage } from '#starter/helpers/chromium'
import { signInOnPage } from '#starter/helpers/sign_in_page'
import { serverUrl } from '#starter/helpers/server_url'

test.group('The security of an account in a browser', () => {
  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with' : 'without'

    test(`one of two browsers ends the other, ${how} JavaScript`, async ({ assert }) => {
      const user = await UserFactory.create()
      const baseURL = await serverUrl()
      const laptop = await openPage({ baseURL, javaScriptEnabled })
      const phone = await openPage({ baseURL, javaScriptEnabled })
      await signInOnPage(laptop, user)
      await signInOnPage(phone, user)

      await laptop.goto('/account/sessions')
      assert.equal(await laptop.getByText('This one').count(), 1)
      await laptop.getByRole('button', { name: 'Sign out all others' }).click()
      await laptop.getByRole('button', { name: 'Sign out the others', exact: true }).click()
      await laptop.getByText('1 other session has ended.').waitFor()
      await phone.goto('/account')
      await phone.waitForURL('**/login')
      await laptop.goto('/account')
      assert.equal(new URL(laptop.url()).pathname, '/account')
    })
  }

  test('a personal access token is made, works and is revoked, after a question that says what follows', async ({
    assert,
  }) => {
    const page = await openPage({ baseURL: await serverUrl() })
    await signInOnPage(page, await UserFactory.create())
    await page.goto('/account/access-tokens')
    await page.getByLabel('Name').fill('Nightly job')
    await page.getByLabel('Read your posts').check()
    await page.getByRole('button', { name: 'Create the token' }).click()
    const token = await page.locator('#new-token').textContent()
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await fetch(await serverUrl('/api/me'), { headers })).status, 200)
    await page.getByRole('button', { name: 'Revoke Nightly job' }).click()
    const description = /^Whatever uses this token stops working at once/
    await page.getByRole('dialog', { name: 'Revoke Nightly job?', description }).waitFor()
    await page.getByRole('button', { name: 'Revoke the token', exact: true }).click()
    await page.getByText('The token has been revoked.').waitFor()
    assert.equal((await fetch(await serverUrl('/api/me'), { headers })).status, 401)
  })
})
