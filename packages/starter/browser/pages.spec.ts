import { test } from '@japa/runner'
import type { Page } from 'playwright'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { openPage } from '#starter/helpers/chromium'
import { signInOnPage } from '#starter/helpers/sign_in_page'
import { serverUrl } from '#starter/helpers/server_url'

/** Presses the button that copies the new token, and reads the clipboard. */
async function copyToken(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Copy' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  return page.evaluate<string>('navigator.clipboard.readText()')
}

test.group('Pages in a browser', () => {
  test('the switch between light and dark remembers', async ({ assert }) => {
    const page = await openPage({ baseURL: await serverUrl(), colorScheme: 'light' })
    const scheme = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme')
    await page.goto('/')
    await page.getByRole('button', { name: 'Switch between light and dark' }).click()
    assert.equal(await scheme(), 'dark')
    await page.goto('/login')
    assert.equal(await scheme(), 'dark')
    assert.equal(await page.getAttribute('html', 'data-theme'), 'dark')
  })

  test('words in the tables of a document stay whole in a narrow window', async ({ assert }) => {
    const page = await openPage({ baseURL: await serverUrl() })
    await page.setViewportSize({ width: 320, height: 700 })
    await page.goto('/docs/settings')
    const broken = await page.evaluate(
      `[...document.querySelectorAll('td code')]
        .filter((one) => /^\\w+$/.test(one.textContent) && one.getClientRects().length > 1)
        .map((one) => one.textContent)`
    )
    assert.deepEqual(broken, [])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
  })

  test('in German the words of headings stay whole in a narrow window', async ({ assert }) => {
    const viewport = { width: 320, height: 700 }
    const page = await openPage({ baseURL: await serverUrl(), viewport })
    await signInOnPage(page, await UserFactory.merge({ language: 'de' }).create())
    for (const path of ['/account/security', '/account/two-factor']) {
      await page.goto(path)
      const broken = await page.evaluate(
        `(() => {
          const { firstChild: text } = document.querySelector('h1')
          const range = document.createRange()
          return [...text.data.matchAll(/[^\\s-]+/g)]
            .filter(({ 0: word, index }) => {
              range.setStart(text, index)
              range.setEnd(text, index + word.length)
              return range.getClientRects().length > 1
            })
            .map(([word]) => word)
        })()`
      )
      assert.deepEqual(broken, [], path)
    }
  })

  test('a browser that refuses cookies is told that signing in needs them, and its scripts go on', async ({
    assert,
  }) => {
    const page = await openPage({ baseURL: await serverUrl() })
    const says = page.getByText('Signing in needs cookies.')
    await page.goto('/login')
    await page.getByRole('button', { name: 'Show' }).waitFor()
    assert.isFalse(await says.isVisible())
    /* So do browsers: they throw where a script asks for the storage of the tab. */
    await page.addInitScript(
      `Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('Denied', 'SecurityError') } })`
    )
    for (const path of ['/login', '/register']) {
      await page.goto(path)
      await page.getByRole('button', { name: 'Show' }).first().waitFor()
      assert.isTrue(await says.isVisible(), path)
    }
  })

  test('a browser without JavaScript is told so on the page to sign in', async ({ assert }) => {
    const page = await openPage({ baseURL: await serverUrl(), javaScriptEnabled: false })
    await page.goto('/login')
    /* Playwright looks for no text in this element. */
    const shown = page.locator('noscript p')
    await shown.waitFor()
    assert.include(await shown.textContent(), 'Signing in needs cookies.')
  })

  for (const locale of ['en', 'de']) {
    test(`the word that shows a password covers none of it, with wide letters too, in "${locale}"`, async ({
      assert,
    }) => {
      const viewport = { width: 320, height: 700 }
      const page = await openPage({ baseURL: await serverUrl(), viewport, locale })
      await page.goto('/register')
      const button = page.locator('[data-reveal=password]')
      const reach = () =>
        page.evaluate<number>(
          `(() => {
            const field = document.getElementById('password')
            const { width } = document.querySelector('[data-reveal=password]').getBoundingClientRect()
            return parseFloat(getComputedStyle(field).paddingInlineEnd) - width
          })()`
        )
      /* WCAG 2.2, 1.4.12 */
      await button.evaluate((one: any) => (one.style.letterSpacing = '0.12em'))
      assert.isAtLeast(await reach(), 0)
      await button.click()
      assert.isAtLeast(await reach(), 0)
    })
  }

  test('a password that is shown is neither checked for its spelling nor begun with a capital', async ({
    assert,
  }) => {
    const page = await openPage({ baseURL: await serverUrl() })
    await page.goto('/login')
    await page.getByRole('button', { name: 'Show' }).click()
    const field = await page
      .getByLabel('Password')
      .evaluate(({ type, spellcheck, autocapitalize }: any) => [type, spellcheck, autocapitalize])
    assert.deepEqual(field, ['text', false, 'none'])
  })

  test('passwords that differ are typed again from the first on, which says why', async ({
    assert,
  }) => {
    const page = await openPage({ baseURL: await serverUrl() })
    await page.goto('/register')
    await page.getByLabel('E-mail address').fill('differs@example.com')
    await page.getByLabel('Password', { exact: true }).fill('a long password')
    await page.getByLabel('Password again').fill('another password')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('The two passwords are not the same').waitFor()
    const first = page.getByRole('textbox', {
      name: 'Password',
      exact: true,
      description: /The two passwords are not the same/,
    })
    assert.isTrue(await first.evaluate((field: any) => field.matches(':focus')))
  })

  test('the account menu opens and closes with the keyboard', async ({ assert }) => {
    const page = await openPage({ baseURL: await serverUrl() })
    await signInOnPage(page, await UserFactory.create())
    await page.locator('.menu summary').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.keyboard.press('Escape')
    assert.isFalse(await page.getByRole('button', { name: 'Sign out' }).isVisible())
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'SUMMARY')

    await page.keyboard.press('Enter')
    const last = page.getByRole('button', { name: 'Sign out' })
    await last.focus()
    assert.isTrue(await last.isVisible())
    await page.keyboard.press('Tab')
    assert.isFalse(await last.isVisible())
  })

  test('the menus of a person and a workspace with long names are within a narrow window', async ({
    assert,
  }) => {
    const page = await openPage({ baseURL: await serverUrl() })
    const fullName = 'W'.repeat(60)
    await signInOnPage(page, await UserFactory.merge({ fullName }).create())
    await page.goto('/workspaces')
    await page.getByLabel('Name').fill(fullName)
    await page.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL('**/w/*')
    for (const width of [320, 600]) {
      await page.setViewportSize({ width, height: 700 })
      /* The window has its width a moment later; a new page begins with it. */
      await page.reload()
      for (const menu of await page.locator('.menu').all()) {
        await menu.locator('summary').click()
        const box = (await menu.locator('.menu-items').boundingBox())!
        assert.isAtLeast(box.x, 0)
        assert.isAtMost(box.x + box.width, width)
      }
    }
  })

  for (const locale of ['en', 'de']) {
    test(`the header of a guest is one line on a phone, in "${locale}"`, async ({ assert }) => {
      const viewport = { width: 390, height: 800 }
      const page = await openPage({ baseURL: await serverUrl(), viewport, locale })
      await page.goto('/login')
      const links = page.locator('.site-header a')
      const boxes = await Promise.all((await links.all()).map((link) => link.boundingBox()))
      const middles = boxes.map((box) => box!.y + box!.height / 2)
      assert.lengthOf(middles, 4)
      assert.isAtMost(Math.max(...middles) - Math.min(...middles), 2)
    })
  }

  for (const javaScriptEnabled of [true, false]) {
    test(`a visitor gets from the start page to an API token that works, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async ({
      assert,
    }) => {
      const page = await openPage({
        baseURL: await serverUrl(),
        javaScriptEnabled,
        permissions: ['clipboard-read', 'clipboard-write'],
      })
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

      const token = javaScriptEnabled
        ? await copyToken(page)
        : await page.locator('#new-token').textContent()
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(await serverUrl('/api/me'), { headers })
      assert.equal(response.status, 200)

      await page.getByRole('button', { name: 'Revoke My laptop' }).click()
      await page.getByRole('button', { name: 'Revoke the token' }).click()
      await page.getByText('The token has been revoked.').waitFor()
      const refused = await fetch(await serverUrl('/api/me'), { headers })
      assert.equal(refused.status, 401)
    })
  }
})
