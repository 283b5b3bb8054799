import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { getActiveTest, test } from '@japa/runner'
import type { Page } from 'playwright'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { openPage } from '#tests/helpers/chromium'
import { authorizationFields, encodeForm, registerClient } from '#tests/helpers/oauth'
import { serverUrl } from '#tests/helpers/visitor'

/** A client's callback on a port of its own, and the addresses that it was asked for. */
async function serveClient() {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url!)
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Client</title>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  getActiveTest()!.cleanup(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, asked, callback: `${origin}/callback` }
}

/** Where a client sends a browser. */
async function addressOf(callback: string, more: Record<string, unknown> = {}) {
  const client = await registerClient({ redirectUris: [callback] })
  return `/oauth/authorize?${encodeForm(authorizationFields(client, { redirect_uri: callback, ...more }) as any)}`
}

async function signIn(page: Page) {
  const { email } = await UserFactory.create()
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(FACTORY_PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test.group('The consent page in a browser', () => {
  for (const [button, parameter] of [
    ['Allow', 'code'],
    ['Deny', 'error'],
  ] as const) {
    test(`"${button}" leads from the sign-in page back to the client`, async ({ assert }) => {
      const { callback } = await serveClient()
      const page = await openPage({ baseURL: await serverUrl() })
      await page.goto(await addressOf(callback))
      await signIn(page)
      await page.getByRole('button', { name: button, exact: true }).click()
      await page.waitForURL(`${callback}?**`, { timeout: 10_000 })
      assert.isTrue(new URL(page.url()).searchParams.has(parameter))
    })
  }

  test('a request that is refused after the sign-in leads back to the client', async ({
    assert,
  }) => {
    const { callback } = await serveClient()
    const page = await openPage({ baseURL: await serverUrl() })
    await page.goto(await addressOf(callback, { scope: 'nonsense' }))
    await signIn(page)
    await page.waitForURL(`${callback}?**`, { timeout: 10_000 })
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
})
