import { createServer } from 'node:http'

import { test } from '@japa/runner'
import type { Page } from 'playwright'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { openPage } from '#starter/helpers/chromium'
import { listenForTest } from '#starter/helpers/listening'
import { startServer } from '#starter/helpers/server_process'

/** Serves an empty page from an origin of its own and returns the origin. */
async function servePage(): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>SPA</title>')
  })
  return `http://127.0.0.1:${await listenForTest(server)}`
}

/** What a single-page app does with `fetch`, inside the page. A call that the browser refuses is "blocked". */
async function call(
  page: Page,
  method: string,
  url: string,
  options: { csrf?: boolean; body?: object } = {}
) {
  return page.evaluate(
    async ([verb, target, { csrf, body }]) => {
      const token = /XSRF-TOKEN=([^;]+)/.exec((globalThis as any).document.cookie)?.[1] ?? ''
      try {
        const response = await fetch(target, {
          method: verb,
          credentials: 'include',
          headers: {
            ...(body && { 'Content-Type': 'application/json' }),
            ...(csrf && { 'X-XSRF-TOKEN': token }),
          },
          body: body && JSON.stringify(body),
        })
        const text = await response.text()
        return { status: response.status, body: text && JSON.parse(text), token }
      } catch {
        return { status: 'blocked', body: null, token }
      }
    },
    [method, url, options] as const
  )
}

test.group('A single-page app on another origin', () => {
  test('signs in with the session cookie and the CSRF token, is recognised and signs out', async ({
    assert,
  }) => {
    const origin = await servePage()
    const [api, user] = await Promise.all([
      startServer({ STATEFUL_ORIGINS: `https://app.example.com, ${origin}` }),
      UserFactory.create(),
    ])
    const page = await openPage()
    await page.goto(origin)
    const login = { email: user.email, password: FACTORY_PASSWORD }

    const stranger = await call(page, 'GET', `${api}/api/me`)
    assert.equal(stranger.status, 401)

    const primed = await call(page, 'GET', `${api}/__auth__/csrf-cookie`)
    assert.equal(primed.status, 204)

    const unproven = await call(page, 'POST', `${api}/login`, { body: login })
    assert.equal(unproven.status, 403)
    assert.equal(unproven.body.error, 'csrf_token_mismatch')

    const signedIn = await call(page, 'POST', `${api}/login`, { body: login, csrf: true })
    assert.equal(signedIn.status, 200)

    const me = await call(page, 'GET', `${api}/api/me`)
    assert.equal(me.body.user.email, user.email)
    assert.notEqual(me.token, signedIn.token)

    const signedOut = await call(page, 'POST', `${api}/logout`, { body: {}, csrf: true })
    assert.equal(signedOut.status, 200)
    const afterwards = await call(page, 'GET', `${api}/api/me`)
    assert.equal(afterwards.status, 401)
  })

  test('a page of an origin that is not listed can neither read nor change anything', async ({
    assert,
  }) => {
    const [origin, other] = await Promise.all([servePage(), servePage()])
    const [api, user] = await Promise.all([
      startServer({ STATEFUL_ORIGINS: origin }),
      UserFactory.create(),
    ])
    const page = await openPage()
    await page.goto(origin)
    await call(page, 'GET', `${api}/__auth__/csrf-cookie`)
    const body = { email: user.email, password: FACTORY_PASSWORD }
    await call(page, 'POST', `${api}/login`, { body, csrf: true })

    /* The same browser with the same cookies: 127.0.0.1 is one site, whatever the port. */
    await page.goto(other)
    const read = await call(page, 'GET', `${api}/api/me`)
    assert.equal(read.status, 'blocked')
    const preflighted = await call(page, 'POST', `${api}/logout`, { csrf: true })
    assert.equal(preflighted.status, 'blocked')

    /* A form needs no preflight and may carry the token, which every port can read. */
    await page.setContent(
      `<form method="post" action="${api}/logout">
        <input type="hidden" name="_token" value="${preflighted.token}"><button>Win a prize</button>
      </form>`
    )
    const [answer] = await Promise.all([
      page.waitForResponse(`${api}/logout`),
      page.waitForURL(`${api}/logout`),
      page.getByRole('button').click(),
    ])
    assert.equal(answer.status(), 403)

    await page.goto(origin)
    const me = await call(page, 'GET', `${api}/api/me`)
    assert.equal(me.body.user.email, user.email)
  })
})
