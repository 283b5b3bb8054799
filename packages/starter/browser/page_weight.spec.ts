import { join } from 'node:path'

import { test } from '@japa/runner'
import type { Page } from 'playwright'

import { UserFactory } from '#database/factories/user_factory'
import { openPage } from '#starter/helpers/chromium'
import { authorizationPath } from '#starter/helpers/consent'
import { registerClient } from '#starter/helpers/oauth'
import { serverUrl } from '#starter/helpers/server_url'
import { givePassword } from '#starter/helpers/sign_in_page'

/**
 * What a page may cost a reader whose browser has kept nothing; nothing is compressed here. A jump
 * of 0.1 is what Core Web Vitals call good: the button for passkeys appears when scripts run.
 */
const MOST = { bytes: 30_000, requests: 6, layoutShift: 0.1 }

/** Where pictures for the README go: `npm run shots`. */
const { SHOTS } = process.env

/** Opens a page, and returns what it costs: the bytes of what is loaded, and by how much it jumps. */
async function costOf(page: Page, path: string) {
  /* What the page before still loads is none of this one. */
  await page.goto('about:blank')
  const session = await page.context().newCDPSession(page)
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  const bodies: Promise<Buffer>[] = []
  page.on('response', (response) => bodies.push(response.body()))
  await page.goto(path, { waitUntil: 'networkidle' })
  page.removeAllListeners('response')
  await session.detach()
  const layoutShift = await page.evaluate<number>(
    `new Promise((done) => {
      let sum = 0
      const observer = new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (sum += value)))
      observer.observe({ type: 'layout-shift', buffered: true })
      setTimeout(() => done(sum), 100)
    })`
  )
  const sizes = (await Promise.all(bodies)).map(({ length }) => length)
  return { bytes: sizes.reduce((sum, one) => sum + one, 0), requests: sizes.length, layoutShift }
}

test.group('What pages cost', () => {
  test('a first visit loads at most 30 kB in six requests, and hardly jumps', async ({
    assert,
    cleanup,
  }) => {
    const viewport = { width: 900, height: 640 }
    const page = await openPage({ baseURL: await serverUrl(), viewport, deviceScaleFactor: 1 })
    const see = async (path: string, picture?: string) => {
      const { layoutShift, bytes, requests } = await costOf(page, path)
      assert.isAtMost(bytes, MOST.bytes, path)
      assert.isAtMost(requests, MOST.requests, path)
      assert.isAtMost(layoutShift, MOST.layoutShift, path)
      if (SHOTS && picture) {
        await page.screenshot({ path: join(SHOTS, `readme-${picture}.png`), fullPage: true })
      }
    }
    const ann = await UserFactory.merge({
      email: 'ann@example.com',
      fullName: 'Ann Example',
      emailVerifiedAt: Date.now(),
    }).create()
    cleanup(() => ann.delete())
    const redirectUri = 'https://calendar.example.com/callback'
    const client = await registerClient({ name: 'A calendar', redirectUris: [redirectUri] })

    await see('/')
    await see('/login', 'sign-in')
    await givePassword(page, ann.email)
    await page.waitForURL('**/account')
    await see('/account', 'account')
    await see('/account/sessions', 'devices')
    const question = { redirect_uri: redirectUri, scope: 'posts:read posts:write' }
    await see(authorizationPath(client, question), 'consent')
  })
})
