import router from '@adonisjs/core/services/router'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import User from '#models/user'
import { AuthError, Throttled } from '#kit/auth/errors'
import { serverUrl } from '#starter/helpers/server_url'
import { recordStatements } from '#starter/helpers/statements'
import { Visitor } from '#starter/helpers/visitor'

router.get('/_test/errors/boom', () => {
  throw new Error('select * from secret_table at /etc/passwd')
})
router.get('/_test/errors/row/:id', ({ params }) => User.findOrFail(params.id))
router.get('/_test/errors/other_row/:id', () => User.findOrFail('no number'))
router.get('/_test/errors/auth/:code', ({ params }) => {
  throw new AuthError(params.code, 'A description.')
})
router.any('/_test/errors/throttled/:seconds?', ({ params }) => {
  throw new Throttled(Number(params.seconds ?? 12.2))
})
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
METHODS.forEach((method) => router.route(`/_test/errors/only/${method}`, [method], () => null))

const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

test.group('Errors', () => {
  test('an unknown path is 404, as JSON or as a page', async ({ assert }) => {
    const json = await new Visitor().get('/nowhere')
    assert.equal(json.status, 404)
    assert.match(json.headers.get('content-type')!, /^application\/json/)

    const page = await new Visitor().get('/nowhere', { headers: PAGE })
    assert.equal(page.status, 404)
    assert.include(await page.text(), 'Page not found')
  })

  test('a page is for who names text/html and does not prefer JSON: {accept}')
    .with([
      { accept: 'text/html', type: 'text/html' },
      { accept: 'TEXT/HTML', type: 'text/html' },
      { accept: 'text/html; charset=UTF-8', type: 'text/html' },
      { accept: 'application/json;q=0.9, text/html', type: 'text/html' },
      { accept: 'application/json, text/html', type: 'application/json' },
      { accept: 'text/html;q=0.1, */*', type: 'application/json' },
      { accept: 'text/html;q=0', type: 'application/json' },
      { accept: 'text/*', type: 'application/json' },
      { accept: '*/*', type: 'application/json' },
    ])
    .run(async ({ assert }, { accept, type }) => {
      const { headers } = await new Visitor().get('/nowhere', { headers: { accept } })
      assert.equal(headers.get('content-type'), `${type}; charset=utf-8`)
    })

  test('a known path under another method is 405 with Allow, which no cache keeps', async ({
    assert,
  }) => {
    for (const [method, path, allow] of [
      ['DELETE', '/user', 'POST'],
      ['GET', '/logout', 'POST'],
      ['PUT', '/login', 'GET, HEAD, POST'],
      ['POST', '/user/42', 'GET, HEAD'],
      ['GET', '/oauth/token', 'POST'],
    ]) {
      const response = await new Visitor().request(method!, path!)
      assert.equal(response.status, 405)
      assert.equal(response.headers.get('allow'), allow)
      assert.equal(response.headers.get('cache-control'), 'no-store')
    }
    const page = await new Visitor().request('DELETE', '/login', { headers: PAGE })
    assert.equal(page.status, 405)
    assert.match(page.headers.get('content-type')!, /^text\/html/)
  })

  test('a path that takes {method} alone is 405 for another method')
    .with(METHODS.map((method) => ({ method })))
    .run(async ({ assert }, { method }) => {
      const other = method === 'POST' ? 'PUT' : 'POST'
      const response = await new Visitor().request(other, `/_test/errors/only/${method}`)
      assert.equal(response.status, 405)
      assert.equal(response.headers.get('allow'), method)
    })

  test('an unexpected error says nothing about its cause', async ({ assert }) => {
    const json = await new Visitor().get('/_test/errors/boom')
    assert.equal(json.status, 500)
    assert.deepEqual(await json.json(), { message: 'Internal server error' })

    const page = await new Visitor().get('/_test/errors/boom', { headers: PAGE })
    assert.equal(page.status, 500)
    const html = await page.text()
    assert.include(html, 'Something went wrong')
    assert.notMatch(html, /secret_table|passwd|at .*\.ts/)
  })

  test('an id in a path that its column cannot hold is that of no row: 404, on every database', async ({
    assert,
  }) => {
    const statusOf = async (path: string, headers = {}) =>
      (await new Visitor().get(`/_test/errors/${path}`, { headers })).status
    for (const id of ['abc', '99999999999', '00000000-0000-0000-0000-000000000000']) {
      assert.equal(await statusOf(`row/${id}`), 404)
      assert.equal(await statusOf(`row/${id}`, PAGE), 404)
    }
    /* What the path does not name is a fault of the program. SQLite compares a number with any text. */
    const isStrict = db.connection().dialect.name === 'postgres'
    assert.equal(await statusOf('other_row/abc'), isStrict ? 500 : 404)
  })

  test('every error has its status, its headers and its body', async ({ assert }) => {
    const table: Record<string, [number, string | null]> = {
      invalid_request: [400, null],
      invalid_grant: [400, null],
      invalid_scope: [400, null],
      invalid_target: [400, null],
      unsupported_grant_type: [400, null],
      unsupported_response_type: [400, null],
      unauthorized_client: [400, null],
      access_denied: [400, null],
      invalid_redirect_uri: [400, null],
      invalid_client_metadata: [400, null],
      login_required: [400, null],
      consent_required: [400, null],
      interaction_required: [400, null],
      request_not_supported: [400, null],
      request_uri_not_supported: [400, null],
      invalid_dpop_proof: [400, null],
      use_dpop_nonce: [400, null],
      invalid_request_uri: [400, null],
      authorization_pending: [400, null],
      slow_down: [400, null],
      expired_token: [400, null],
      unknown_authorization: [404, null],
      invalid_client: [401, 'Basic'],
      invalid_token: [401, 'Bearer'],
      invalid_session: [401, 'Bearer'],
      login_step_required: [401, 'Bearer'],
      insufficient_scope: [403, null],
      csrf_token_mismatch: [403, null],
      email_not_verified: [403, null],
      confirmation_required: [403, null],
      provider_required: [403, null],
      throttled: [429, null],
      server_error: [500, null],
      temporarily_unavailable: [503, null],
    }
    for (const [code, [status, challenge]] of Object.entries(table)) {
      const response = await new Visitor().get(`/_test/errors/auth/${code}`)
      assert.equal(response.status, status)
      assert.equal(response.headers.get('www-authenticate'), challenge)
      assert.equal(response.headers.get('cache-control'), 'no-store')
      assert.equal(response.headers.get('pragma'), 'no-cache')
      assert.deepEqual(await response.json(), { error: code, error_description: 'A description.' })
    }
  })

  test('throttled says in whole seconds when to try again, and never at once: {seconds}')
    .with([
      { seconds: '12.2', told: '13' },
      { seconds: '1', told: '1' },
      { seconds: '0', told: '1' },
      { seconds: '-3', told: '1' },
    ])
    .run(async ({ assert }, { seconds, told }) => {
      const response = await new Visitor().get(`/_test/errors/throttled/${seconds}`)
      assert.equal(response.status, 429)
      assert.equal(response.headers.get('retry-after'), told)
    })

  test('a page never gets bare JSON, nor a challenge that a browser answers with a prompt', async ({
    assert,
  }) => {
    for (const code of ['insufficient_scope', 'throttled', 'invalid_request', 'invalid_client']) {
      const response = await new Visitor().get(`/_test/errors/auth/${code}`, { headers: PAGE })
      assert.match(response.headers.get('content-type')!, /^text\/html/)
      assert.equal(response.headers.get('cache-control'), 'no-store')
      assert.isNull(response.headers.get('www-authenticate'))
    }
  })

  test('the page of an error that may pass leads to the same address, and of no other', async ({
    assert,
  }) => {
    const referer = await serverUrl('/account?tab=name')
    for (const [path, status] of [
      ['/_test/errors/throttled?a=b', 429],
      ['/_test/errors/auth/temporarily_unavailable?a=b', 503],
      ['/nowhere?a=b', 404],
    ] as const) {
      const response = await new Visitor().get(path, { headers: { ...PAGE, referer } })
      assert.equal(response.status, status)
      assert.isNull(response.headers.get('location'))
      const text = await response.text()
      const href = status === 404 ? '/account?tab=name' : path
      assert.include(text, `<a class="button" href="${href}">`)
    }
  })

  test('a page of this host whose address has two slashes leads to no other host', async ({
    assert,
  }) => {
    const headers = { ...PAGE, referer: await serverUrl('//evil.example/x') }
    const page = await new Visitor().get('/nowhere', { headers })
    assert.include(await page.text(), '<a class="button" href="/evil.example/x">')
    const throttled = await new Visitor().post('/_test/errors/throttled', { form: {}, headers })
    assert.equal(throttled.headers.get('location'), '/evil.example/x')
  })

  test('a person is told to wait {seconds} seconds as {words}')
    .with([
      { seconds: 1, words: '1 second' },
      { seconds: 60, words: '60 seconds' },
      { seconds: 61, words: '2 minutes' },
      { seconds: 3595, words: '60 minutes' },
    ])
    .run(async ({ assert }, { seconds, words }) => {
      const visitor = new Visitor()
      const headers = { ...PAGE, referer: await serverUrl('/login') }
      await visitor.post(`/_test/errors/throttled/${seconds}`, { form: {}, headers })
      const page = await (await visitor.get('/login', { headers: PAGE })).text()
      assert.include(page, `Try again in ${words}.`)
    })

  test('a page says what happened in words that fit', async ({ assert }) => {
    for (const [code, heading] of [
      ['csrf_token_mismatch', 'This form has expired'],
      ['insufficient_scope', 'Not allowed'],
      /* feature: oauth2 */
      ['invalid_client', 'Unknown application'],
      /* /feature */
      ['throttled', 'Too many attempts'],
      ['invalid_request', 'This did not work'],
    ]) {
      const response = await new Visitor().get(`/_test/errors/auth/${code}`, { headers: PAGE })
      assert.include(await response.text(), `<h1>${heading}</h1>`)
    }
  })

  test('the endpoints of OAuth clients answer JSON whatever is accepted', async ({ assert }) => {
    for (const path of ['/oauth/token', '/token', '/oauth/introspect', '/oauth/revoke']) {
      const response = await new Visitor().post(path, {
        form: { grant_type: 'client_credentials', client_id: 'x', token: 'x' },
        headers: PAGE,
      })
      assert.match(response.headers.get('content-type')!, /^application\/json/, path)
      assert.properties(await response.json(), ['error', 'error_description'])
    }
  })

  test('GET /health answers 200 and names its checks', async ({ assert }) => {
    const response = await new Visitor().get('/health')
    assert.equal(response.status, 200)
    const { status, checks } = (await response.json()) as any
    assert.lengthOf(checks, 4)
    /* The heap is that of a process that has run thousands of tests: it may be warned of, and of nothing else. */
    const [heap] = checks.filter(({ name }: any) => /heap/i.test(name))
    assert.equal(status, heap.status)
    assert.include(['ok', 'warning'], heap.status)
    for (const check of checks.filter((one: any) => one !== heap)) {
      assert.equal(check.status, 'ok', check.name)
    }
  })

  test('GET /health/ready answers likewise, and /health/live without asking the database', async ({
    assert,
  }) => {
    const ready = await new Visitor().get('/health/ready')
    assert.equal(ready.status, 200)
    assert.lengthOf(((await ready.json()) as any).checks, 4)

    const statements = await recordStatements(async () => {
      const live = await new Visitor().get('/health/live')
      assert.equal(live.status, 200)
      assert.equal(live.headers.get('cache-control'), 'no-store')
      assert.deepEqual(await live.json(), { status: 'ok' })
    })
    assert.lengthOf(statements, 0)
  })
})

test.group('Errors | log', () => {
  test('the message of a failed statement does not carry what it was given', async ({ assert }) => {
    const error = await db
      .rawQuery('select * from no_such_table where secret = ?', ['my secret value'])
      .then(
        () => null,
        (failure: Error) => failure
      )
    assert.include(error!.message, 'no_such_table')
    assert.notInclude(error!.message, 'my secret value')
    assert.notInclude(error!.stack!, 'my secret value')
  })
})
