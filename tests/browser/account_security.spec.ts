import mail from '@adonisjs/mail/services/main'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import VerifyAddressMail from '#mails/verify_address_mail'
import { openPage } from '#tests/helpers/chromium'
import { findings, foreignRequests, overflow } from '#tests/helpers/page_findings'
import { afterReplies } from '#tests/helpers/passwords'
import { signInOnPage } from '#tests/helpers/sign_in_page'
import { serverUrl } from '#tests/helpers/visitor'

const PAGES = [
  '/account/email',
  '/account/sessions',
  '/account/security',
  '/account/access-tokens',
  '/email/verify',
  '/nowhere',
]

/** The address behind the link that a mail has while something runs. */
async function linkOf(run: () => Promise<unknown>) {
  await afterReplies()
  const { mails } = mail.fake()
  await run()
  await afterReplies()
  const [sent] = mails.sent((one) => one instanceof VerifyAddressMail)
  mail.restore()
  const { link } = (sent as any).message.contentViews.text.data
  return link.slice(new URL(link).origin.length) as string
}

test.group('Pages about the security of an account', () => {
  for (const width of [390, 1280]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`nothing is inaccessible, wider than the window or loaded from elsewhere, ${colorScheme} at ${width} px`, async ({
        assert,
      }) => {
        const baseURL = await serverUrl()
        const page = await openPage({ baseURL, colorScheme, viewport: { width, height: 800 } })
        const foreign = foreignRequests(page, baseURL)
        const look = async (path: string) => {
          await page.goto(path)
          assert.deepEqual(await findings(page), [], path)
          assert.equal(await overflow(page), 0, path)
        }
        await signInOnPage(page, await UserFactory.create())
        for (const path of PAGES) {
          await look(path)
        }
        await page.goto('/email/verify')
        const main = page.getByRole('main')
        await look(
          await linkOf(() => main.getByRole('button', { name: 'Send the link again' }).click())
        )
        assert.deepEqual(foreign, [])
      })
    }
  }

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with' : 'without'

    test(`a person changes their address with the keyboard alone, ${how} JavaScript`, async ({
      assert,
    }) => {
      const user = await UserFactory.create()
      const page = await openPage({ baseURL: await serverUrl(), javaScriptEnabled })
      await signInOnPage(page, user)
      const address = `${crypto.randomUUID()}@example.com`

      await page.goto('/account/email')
      const link = await linkOf(async () => {
        await page.getByLabel('New e-mail address').focus()
        await page.keyboard.type(address)
        await page.keyboard.press('Tab')
        await page.keyboard.type(FACTORY_PASSWORD)
        await page.keyboard.press('Enter')
        await page.getByRole('status').getByText(`We have sent a link to ${address}`).waitFor()
      })
      await page.goto(link)
      await page.getByRole('button', { name: 'Yes, verify it' }).focus()
      await page.keyboard.press('Enter')
      await page.getByText(`The address ${address} is verified.`).waitFor()
      await user.refresh()
      assert.equal(user.email, address)
      assert.equal(await page.getByRole('complementary').count(), 0)
    })

    test(`one of two browsers ends the other, ${how} JavaScript`, async ({ assert }) => {
      const user = await UserFactory.create()
      const baseURL = await serverUrl()
      const laptop = await openPage({ baseURL, javaScriptEnabled })
      const phone = await openPage({ baseURL, javaScriptEnabled })
      await signInOnPage(laptop, user)
      await signInOnPage(phone, user)

      await laptop.goto('/account/sessions')
      assert.equal(await laptop.getByText('This one').count(), 1)
      await laptop.getByRole('button', { name: 'End all others' }).click()
      await laptop.getByText('1 other session has ended.').waitFor()
      await phone.goto('/account')
      await phone.waitForURL('**/login')
      await laptop.goto('/account')
      assert.equal(new URL(laptop.url()).pathname, '/account')
    })
  }

  test('a wrong password and a weak one are said next to their fields', async ({ assert }) => {
    const user = await UserFactory.create()
    const page = await openPage({ baseURL: await serverUrl() })
    await signInOnPage(page, user)
    await page.goto('/account/email')
    await page.getByLabel('New e-mail address').fill('new@example.com')
    await page.getByLabel('Current password').fill('not my password')
    await page.getByRole('button', { name: 'Change the address' }).click()
    await page.getByText('This is not your password').waitFor()
    assert.equal(await page.getByLabel('New e-mail address').inputValue(), 'new@example.com')

    await page.goto('/account/password')
    await page.getByLabel('Current password').fill(FACTORY_PASSWORD)
    await page.getByLabel('New password', { exact: true }).fill('password123')
    await page.getByLabel('New password again').fill('password123')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('This is one of the most used passwords').waitFor()
  })

  test('a personal access token is made, copied, works and is revoked', async ({ assert }) => {
    const page = await openPage({ baseURL: await serverUrl() })
    await signInOnPage(page, await UserFactory.create())
    await page.goto('/account/access-tokens')
    await page.getByLabel('Name').fill('Nightly job')
    await page.getByLabel('Read your posts').check()
    await page.getByRole('button', { name: 'Create the token' }).click()
    const token = await page.locator('#new-token').textContent()
    assert.isTrue(await page.getByRole('button', { name: 'Copy' }).isVisible())
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await fetch(await serverUrl('/api/posts'), { headers })).status, 200)
    await page.getByRole('button', { name: 'Revoke Nightly job' }).click()
    await page.getByText('The token has been revoked.').waitFor()
    assert.equal((await fetch(await serverUrl('/api/posts'), { headers })).status, 401)
  })
})
