import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { Edge } from 'edge.js'
import type { Page } from 'playwright'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { KIT_RESOURCES } from '#kit/http/kit_views'
import { openPage } from '#starter/helpers/chromium'
import { listenForTest } from '#starter/helpers/listening'
import { authorizationFields, encodeForm, registerClient } from '#starter/helpers/oauth'
import { serverUrl } from '#starter/helpers/server_url'

/**
 * A client's callback on a port of its own, and the addresses that it was asked for.
 *
 * @param location where the callback redirects to; default: it is a page
 */
async function serveClient(location?: string) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url!)
    if (location) {
      return response.writeHead(302, { location }).end()
    }
    return response
      .setHeader('content-type', 'text/html')
      .end('<!doctype html><title>Client</title>')
  })
  const origin = `http://127.0.0.1:${await listenForTest(server)}`
  return { origin, asked, callback: `${origin}/callback` }
}

/** Where a client sends a browser. */
async function addressOf(callback: string, more: Record<string, unknown> = {}, name?: string) {
  const client = await registerClient({ redirectUris: [callback], name })
  return `/oauth/authorize?${encodeForm(authorizationFields(client, { redirect_uri: callback, ...more }) as any)}`
}

async function signIn(page: Page) {
  const user = await UserFactory.create()
  await page.getByLabel('E-mail address').fill(user.email)
  await page.getByLabel('Password').fill(FACTORY_PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  return user
}

test.group('The consent page in a browser', () => {
  for (const [button, parameter] of [
    ['Allow', 'code'],
    ['Deny', 'error'],
  ] as const) {
    test(`"${button}" leads from the sign-in page back to the client, without JavaScript`, async ({
      assert,
    }) => {
      const { callback } = await serveClient()
      const page = await openPage({ baseURL: await serverUrl(), javaScriptEnabled: false })
      await page.goto(await addressOf(callback))
      await signIn(page)
      await page.getByRole('button', { name: button, exact: true }).click()
      await page.waitForURL(`${callback}?**`)
      assert.isTrue(new URL(page.url()).searchParams.has(parameter))
    })
  }

  for (const button of ['Allow', 'Deny']) {
    test(`"${button}" leads to wherever the client's callback redirects, on any site, without JavaScript`, async () => {
      const app = await serveClient()
      const broker = await serveClient(`${app.origin}/home`)
      const page = await openPage({ baseURL: await serverUrl(), javaScriptEnabled: false })
      await page.goto(await addressOf(broker.callback))
      await signIn(page)
      await page.getByRole('button', { name: button, exact: true }).click()
      await page.waitForURL(`${app.origin}/home`)
    })
  }

  test('a request that is refused after the sign-in leads back to the client', async ({
    assert,
  }) => {
    const { callback } = await serveClient()
    const page = await openPage({ baseURL: await serverUrl() })
    await page.goto(await addressOf(callback, { scope: 'nonsense' }))
    await signIn(page)
    await page.waitForURL(`${callback}?**`)
    assert.equal(new URL(page.url()).searchParams.get('error'), 'invalid_scope')
  })

  test('a form that leads to any other site is blocked', async ({ assert }) => {
    const [client, other] = [await serveClient(), await serveClient()]
    const page = await openPage({ baseURL: await serverUrl() })
    await page.goto(await addressOf(client.callback))
    await signIn(page)
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
    const violated = await page.evaluate(
      `new Promise((resolve) => {
        document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective))
        const form = document.querySelector('main form')
        form.action = ${JSON.stringify(`${other.origin}/`)}
        form.querySelector('button').click()
      })`
    )
    assert.equal(violated, 'form-action')
    assert.deepEqual(other.asked, [])
  })

  test('a scope that is not ticked is not allowed, without JavaScript too', async ({ assert }) => {
    const { callback } = await serveClient()
    const page = await openPage({ baseURL: await serverUrl(), javaScriptEnabled: false })
    await page.goto(await addressOf(callback))
    await signIn(page)
    await page.getByLabel('Write and change your posts').uncheck()
    await page.getByLabel('Read your posts').uncheck()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByText('Tick what you allow, or deny the request.').waitFor()
    const first = page.getByLabel('Read your posts')
    assert.isTrue(await first.evaluate((field: any) => field.matches(':focus')))
    await first.check()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL(`${callback}?**`)
    const [code] = await db.from('oauth_auth_codes').orderBy('created_at', 'desc').limit(1)
    assert.equal(code.scopes, '["posts:read"]')
  })

  for (const javaScriptEnabled of [true, false]) {
    test(`another account: the person signs in as somebody else and comes back to the request, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async ({
      assert,
    }) => {
      const { callback } = await serveClient()
      const page = await openPage({ baseURL: await serverUrl(), javaScriptEnabled })
      await page.goto(await addressOf(callback, { state: 'the same' }))
      const first = await signIn(page)
      await page.getByRole('main').getByText(first.email).waitFor()
      await page.getByRole('button', { name: 'Use another account' }).click()
      await page.waitForURL('**/login')
      const second = await signIn(page)
      await page.getByRole('main').getByText(second.email).waitFor()
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
      await page.waitForURL(`${callback}?**`)
      assert.equal(new URL(page.url()).searchParams.get('state'), 'the same')
    })
  }

  for (const button of ['Allow', 'Deny']) {
    test(`"${button}" for an app, which leaves the page where it is, says where to go on`, async () => {
      const page = await openPage({ baseURL: await serverUrl() })
      await page.clock.install()
      await page.goto(await addressOf('com.example.notes:/callback', {}, 'Notes'))
      await signIn(page)
      await page.getByRole('button', { name: button, exact: true }).click()
      await page.clock.runFor('00:03')
      await page.locator('[aria-live]').getByText('“Notes” has your answer: go on there').waitFor()
    })
  }

  test('an app is disconnected on the page of connected apps', async ({ assert }) => {
    const { callback } = await serveClient()
    const page = await openPage({ baseURL: await serverUrl() })
    const address = await addressOf(callback, {}, 'Disconnect me')
    await page.goto(address)
    await signIn(page)
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.waitForURL(`${callback}?**`)
    await page.goto('/account/connected-apps')
    assert.include(await page.textContent('main'), 'Write and change your posts')
    await page.getByRole('button', { name: 'Disconnect Disconnect me' }).click()
    await page.getByRole('button', { name: 'Disconnect the app' }).click()
    await page.getByText('The app has been disconnected.').waitFor()
    assert.include(await page.textContent('main'), 'You have not connected any apps yet.')
  })
})

test.group('The frame of the kit for pages of OAuth', () => {
  /** A page in the frame, as an application without one of its own has it, and what its form has sent. */
  async function openFrame() {
    const sent: string[] = []
    const edge = Edge.create()
    edge.mount(join(KIT_RESOURCES, 'views'))
    const form =
      '<form method="post" action="/send"><button>Allow</button><button formaction="/app" data-then="Go on there">App</button></form>'
    edge.registerTemplate('frame', { template: `@oauth.page({ title: 'x' })\n${form}\n@end` })
    const html = await edge.render('frame')
    const page = await openPage()
    await page.route('http://frame.test/**', async (route) => {
      const { pathname } = new URL(route.request().url())
      if (pathname === '/send') {
        sent.push(pathname)
        await setTimeout(1000)
      }
      await (pathname === '/app'
        ? route.fulfill({ status: 204 })
        : route.fulfill({ contentType: 'text/html', body: pathname === '/' ? html : 'Sent' }))
    })
    await page.goto('http://frame.test/')
    return { page, sent }
  }

  test('a double click sends a form once, and who comes back can send it again', async ({
    assert,
  }) => {
    const { page, sent } = await openFrame()
    await page.evaluate(`const click = () => document.querySelector('button').click()
      setTimeout(click, 300)
      click()`)
    await page.getByText('Sent').waitFor()
    assert.lengthOf(sent, 1)
    await page.goBack()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('Sent').waitFor()
    assert.lengthOf(sent, 2)
  })

  test('a form that leads to an app, which leaves the page where it is, says where to go on', async () => {
    const { page } = await openFrame()
    await page.clock.install()
    await page.getByRole('button', { name: 'App' }).click()
    await page.clock.runFor('00:03')
    await page.getByText('Go on there', { exact: true }).waitFor()
  })
})
