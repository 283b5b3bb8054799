import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { openPage } from '#starter/helpers/chromium'
import { signInOnPage } from '#starter/helpers/sign_in_page'
import { serverUrl } from '#starter/helpers/server_url'

test.group('Choosing a language in the middle of a form', () => {
  test('keeps what was typed and ticked, and no password', async ({ assert }) => {
    const page = await openPage({ baseURL: await serverUrl() })
    await page.goto('/register')
    await page.getByLabel('Full name').fill('Ann Example')
    await page.getByLabel('E-mail address').fill('ann@example.com')
    await page.getByLabel('Password', { exact: true }).fill(FACTORY_PASSWORD)
    await page.getByRole('button', { name: 'Show' }).first().click()
    await page.getByRole('button', { name: 'Deutsch' }).click()
    await page.locator('html[lang=de]').waitFor()
    await page.waitForLoadState()
    assert.equal(await page.locator('[name=fullName]').inputValue(), 'Ann Example')
    assert.equal(await page.locator('[name=email]').inputValue(), 'ann@example.com')
    assert.equal(await page.locator('[name=password]').inputValue(), '')

    await page.goto('/login')
    assert.equal(await page.locator('[name=password]').inputValue(), '')
    await page.locator('[name=remember]').check()
    await page.getByRole('button', { name: 'English' }).click()
    await page.locator('html[lang=en]').waitFor()
    await page.waitForLoadState()
    assert.isTrue(await page.locator('[name=remember]').isChecked())
    await page.reload()
    assert.isFalse(await page.locator('[name=remember]').isChecked())
    assert.notInclude(
      await page.evaluate<string>('JSON.stringify(sessionStorage)'),
      FACTORY_PASSWORD
    )
  })
})

test.group('A page whose script is late', () => {
  test('keeps what is typed before it runs, and fills in the rest', async ({ assert }) => {
    const page = await openPage({ baseURL: await serverUrl() })
    await page.goto('/register')
    await page.getByLabel('Full name').fill('Ann')
    await page.getByLabel('E-mail address').fill('ann@example.com')
    const late = Promise.withResolvers<void>()
    await page.route('**/app.js*', async (route) => {
      await late.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Deutsch' }).click()
    const name = page.locator('html[lang=de] [name=fullName]')
    await name.fill('Ann Example')
    late.resolve()
    await page.waitForLoadState()
    assert.equal(await name.inputValue(), 'Ann Example')
    assert.equal(await page.locator('[name=email]').inputValue(), 'ann@example.com')
  })
})

test.group('A language that is written from right to left', () => {
  test('leaves keys, codes and tokens from left to right', async ({ assert }) => {
    const page = await openPage({ baseURL: await serverUrl() })
    await signInOnPage(page, await UserFactory.create())
    await page.goto('/account/two-factor')
    await page.getByRole('button', { name: 'Set it up' }).click()
    const key = page.locator('#totp-secret')
    await key.waitFor()
    await page.evaluate(`document.documentElement.dir = 'rtl'`)
    const groups = key.locator('span')
    const [first, second] = [await groups.nth(0).boundingBox(), await groups.nth(1).boundingBox()]
    assert.isBelow(first!.x, second!.x)

    /* An API token begins with a number. Where its sign "|" is tells the direction. */
    const xOf = (at: number) =>
      key.evaluate((code: any, from) => {
        code.textContent = '12|abcd'
        const range = code.ownerDocument.createRange()
        range.setStart(code.firstChild, from)
        range.setEnd(code.firstChild, from + 1)
        return range.getBoundingClientRect().x
      }, at)
    assert.isBelow(await xOf(0), await xOf(2))
    assert.isBelow(await xOf(2), await xOf(3))
  })
})

test.group('Tabs of one browser', () => {
  test('that a guest opens at once all sign in', async () => {
    const baseURL = await serverUrl()
    const { email } = await UserFactory.create()
    const [one, other] = [await openPage({ baseURL }), await openPage({ baseURL })]
    await one.goto('/login')
    await other.goto('/login')
    /* The browser has kept the later answer. */
    await one.context().addCookies(await other.context().cookies())
    await one.getByLabel('E-mail address').fill(email)
    await one.getByLabel('Password').fill(FACTORY_PASSWORD)
    await one.getByRole('button', { name: 'Sign in', exact: true }).click()
    await one.waitForURL('**/account')
  })

  test('act for nobody who has signed in since', async () => {
    const baseURL = await serverUrl()
    const [ann, bob] = await UserFactory.createMany(2)
    const [anns, bobs] = [await openPage({ baseURL }), await openPage({ baseURL })]
    await signInOnPage(anns, ann!)
    await signInOnPage(bobs, bob!)
    await anns.context().addCookies(await bobs.context().cookies())
    await anns.getByLabel('Full name').fill('Ann Example')
    await anns.getByRole('button', { name: 'Save' }).click()
    await anns.getByRole('heading', { name: 'This form has expired' }).waitFor()
  })
})
