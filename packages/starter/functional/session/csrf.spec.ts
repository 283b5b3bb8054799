import { mock } from 'node:test'

import { Logger } from '@adonisjs/core/logger'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { SessionService } from '#kit/session/session_service'
import '#starter/helpers/fixtures/session_routes'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const UNSAFE = '/_test/session/unsafe'
/** Where forms can be sent without a session. */
const FORMS = ['/login', '/register', '/logout', '/password/email', '/user', UNSAFE]
const ALLOWED_ORIGIN = 'https://spa.example.com'

async function config() {
  const service = await app.container.make(SessionService)
  return service.config
}

test.group('CSRF', () => {
  test('every unsafe method of a live session needs the token', async ({ assert }) => {
    const { visitor } = await signedIn()
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const refused = await visitor.request(method, UNSAFE)
      assert.equal(refused.status, 403)
      assert.deepEqual(await refused.json(), {
        error: 'csrf_token_mismatch',
        error_description: 'The CSRF token is missing or does not match.',
      })
      assert.equal(refused.headers.get('cache-control'), 'no-store')
      assert.equal(refused.headers.get('pragma'), 'no-cache')

      const response = await visitor.request(method, UNSAFE, { csrf: true })
      assert.equal(response.status, 200)

      /* Another site may be able to set a cookie: the token is that of the session. */
      const planted = 'x'.repeat(43)
      const tossed = new Visitor()
      visitor.cookies.forEach((value, name) => tossed.cookies.set(name, value))
      tossed.cookies.set('XSRF-TOKEN', planted)
      const same = await tossed.request(method, UNSAFE, { headers: { 'x-xsrf-token': planted } })
      assert.equal(same.status, 403)
    }
  })

  test('safe methods need no token', async ({ assert }) => {
    const { visitor } = await signedIn()
    for (const method of ['GET', 'HEAD']) {
      const response = await visitor.request(method, '/_test/session/untouched')
      assert.equal(response.status, 200)
    }
  })

  test('a guest session is protected like any other', async ({ assert }) => {
    const visitor = new Visitor()
    await visitor.get('/_test/session/token')
    const response = await visitor.post(UNSAFE)
    assert.equal(response.status, 403)
  })

  test('a request without a session cookie is exempt, and one with a stale cookie as well', async ({
    assert,
  }) => {
    const bare = await new Visitor().post(UNSAFE)
    assert.equal(bare.status, 200)

    const { visitor } = await signedIn()
    const stale = new Visitor()
    stale.cookies.set('service_session', visitor.cookies.get('service_session')!)
    await visitor.post('/logout', { csrf: true })
    const response = await stale.post(UNSAFE)
    assert.equal(response.status, 200)
  })

  test('a bearer client without a cookie is exempt', async ({ assert }) => {
    const response = await new Visitor().post(UNSAFE, { headers: { authorization: 'Bearer x' } })
    assert.equal(response.status, 200)
  })

  test('another token, the token of another session, and none at all are refused', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const { visitor: other } = await signedIn()
    for (const token of [
      other.csrfToken,
      'x',
      '',
      visitor.csrfToken.slice(0, -1),
      `${visitor.csrfToken}x`,
      visitor.csrfToken.toLowerCase(),
    ]) {
      const response = await visitor.post(UNSAFE, { headers: { 'x-xsrf-token': token } })
      assert.equal(response.status, 403)
    }
    /* Another host of the domain can plant a cookie: it proves nothing that it equals the header. */
    visitor.cookies.set('XSRF-TOKEN', 'planted')
    const planted = await visitor.post(UNSAFE, { headers: { 'x-xsrf-token': 'planted' } })
    assert.equal(planted.status, 403)
  })

  test('the token may come in the form field of an urlencoded or a multipart body', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const urlencoded = await visitor.post(UNSAFE, { form: { _token: visitor.csrfToken } })
    assert.equal(urlencoded.status, 200)

    const multipart = new FormData()
    multipart.set('_token', visitor.csrfToken)
    const response = await visitor.post(UNSAFE, { body: multipart })
    assert.equal(response.status, 200)
  })

  test('a field in JSON, in the query, or as an array is no token', async ({ assert }) => {
    const { visitor } = await signedIn()
    const token = visitor.csrfToken
    const json = await visitor.post(UNSAFE, { json: { _token: token } })
    assert.equal(json.status, 403)
    const query = await visitor.post(`${UNSAFE}?_token=${token}`)
    assert.equal(query.status, 403)
    const array = await visitor.post(UNSAFE, { form: { '_token[]': token } })
    assert.equal(array.status, 403)
  })

  test('a wrong header is not mended by the right field', async ({ assert }) => {
    const { visitor } = await signedIn()
    const response = await visitor.post(UNSAFE, {
      form: { _token: visitor.csrfToken },
      headers: { 'x-xsrf-token': 'wrong' },
    })
    assert.equal(response.status, 403)
  })

  test('the cookie alone, which browsers send by themselves, is no proof', async ({ assert }) => {
    const { visitor } = await signedIn()
    assert.isTrue(visitor.cookies.has('XSRF-TOKEN'))
    const response = await visitor.post(UNSAFE)
    assert.equal(response.status, 403)
  })

  test('header and field are named by the config', async ({ assert }) => {
    const settings = await config()
    const original = { ...settings }
    Object.assign(settings, { csrfHeader: 'X-My-Token', csrfField: 'my_field' })
    const { visitor } = await signedIn()
    const [header, field, old] = [
      await visitor.post(UNSAFE, { headers: { 'x-my-token': visitor.csrfToken } }),
      await visitor.post(UNSAFE, { form: { my_field: visitor.csrfToken } }),
      await visitor.post(UNSAFE, { csrf: true }),
    ]
    Object.assign(settings, original)
    assert.deepEqual([header.status, field.status, old.status], [200, 200, 403])
  })

  test('the endpoints that OAuth clients call are always exempt', async ({ assert }) => {
    const { visitor } = await signedIn()
    for (const path of ['/oauth/token', '/oauth/introspect', '/oauth/revoke']) {
      const response = await visitor.post(path, { form: { grant_type: 'none', token: 'x' } })
      const { error } = (await response.json()) as { error: string }
      assert.include(['unsupported_grant_type', 'invalid_client'], error, path)
    }
    const other = await visitor.post('/token', { form: { username: 'x', password: 'y' } })
    assert.equal(other.status, 403)
  })

  test('exempt paths match exactly, and with a trailing * as a prefix', async ({ assert }) => {
    const settings = await config()
    settings.csrfExemptPaths = ['/_test/session/hooks/*', '/_test/session/date*', UNSAFE]
    const { visitor } = await signedIn()
    const statuses = []
    for (const path of [UNSAFE, '/_test/session/hooks/any', '/_test/session/data']) {
      const response = await visitor.post(path)
      statuses.push(response.status)
    }
    settings.csrfExemptPaths = []
    assert.deepEqual(statuses, [200, 200, 403])
  })

  test('a page is answered with a page', async ({ assert }) => {
    const { visitor } = await signedIn()
    const response = await visitor.post('/logout', { headers: { accept: 'text/html' } })
    assert.equal(response.status, 403)
    assert.match(response.headers.get('content-type')!, /^text\/html/)
    assert.include(await response.text(), 'This form has expired')
    assert.equal(response.headers.get('cache-control'), 'no-store')
  })
})

test.group('CSRF | forms without a session', () => {
  const EVIL = 'https://evil.example.com'
  const CROSS_SITE = { 'sec-fetch-site': 'cross-site' }
  const FORM = { email: 'ann@example.com', password: 'x' }

  /** Sends a form as a page of another site can. */
  function send(
    headers: Record<string, string>,
    options: { path?: string; form?: Record<string, string>; type?: string } = {}
  ) {
    const { path = '/login', form = FORM, type } = options
    return new Visitor().post(path, {
      ...(type ? { body: new URLSearchParams(form).toString() } : { form }),
      headers: { ...headers, ...(type && { 'content-type': type }) },
    })
  }

  for (const headers of [
    CROSS_SITE,
    { ...CROSS_SITE, origin: EVIL },
    { origin: EVIL },
    { origin: 'null' },
    { origin: '' },
    { 'origin': 'null', 'sec-fetch-site': 'cross-site' },
    { 'origin': EVIL, 'sec-fetch-site': 'same-site' },
    { 'origin': EVIL, 'sec-fetch-site': 'same-origin' },
  ] as Record<string, string>[]) {
    test(`a form of another site is refused: ${JSON.stringify(headers)}`, async ({ assert }) => {
      for (const path of FORMS) {
        const response = await send(headers, { path })
        assert.equal(response.status, 403, path)
        assert.deepEqual(await response.json(), {
          error: 'csrf_token_mismatch',
          error_description: 'The form was sent by another site.',
        })
        assert.include(response.headers.get('vary'), 'Origin')
        assert.lengthOf(response.setCookies, 0)
      }
    })
  }

  test('whatever the type of the form is, and however it is written', async ({ assert }) => {
    for (const type of [
      'application/x-www-form-urlencoded',
      'Application/X-WWW-Form-Urlencoded; charset=utf-8',
      'text/plain',
      'text/plain;charset=UTF-8',
    ]) {
      const response = await send({ origin: EVIL }, { type })
      assert.equal(response.status, 403, type)
    }
    const body = new FormData()
    body.set('email', FORM.email)
    const multipart = await new Visitor().post('/login', { body, headers: { origin: EVIL } })
    assert.equal(multipart.status, 403)
  })

  test('nobody is signed in by a form of another site', async ({ assert }) => {
    const user = await UserFactory.create()
    const form = { email: user.email, password: FACTORY_PASSWORD }
    const response = await send({ origin: EVIL }, { form })
    assert.equal(response.status, 403)
    assert.lengthOf(response.setCookies, 0)
    const own = await send({ origin: await serverUrl() }, { form })
    assert.equal(own.status, 200)
  })

  test('a person gets a page', async ({ assert }) => {
    const response = await send({ origin: EVIL, accept: 'text/html' })
    assert.equal(response.status, 403)
    assert.match(response.headers.get('content-type')!, /^text\/html/)
  })

  test('a session that has ended is no session', async ({ assert }) => {
    const { visitor } = await signedIn()
    const stale = new Visitor()
    stale.cookies.set('service_session', visitor.cookies.get('service_session')!)
    await visitor.post('/logout', { csrf: true })
    const response = await stale.post('/login', { form: FORM, headers: { origin: EVIL } })
    assert.equal(response.status, 403)
  })

  test('forms of this application, of the named origins, and of callers without an origin pass', async ({
    assert,
  }) => {
    const own = await serverUrl()
    const cases: Record<string, string>[] = [
      {},
      { origin: own },
      { 'origin': own, 'sec-fetch-site': 'same-origin' },
      { origin: app.config.get<string>('app.appUrl') },
      { origin: own.replace('http:', 'https:') },
      { 'origin': 'null', 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { 'origin': 'http://localhost:5173', 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of cases) {
      const response = await send(headers)
      assert.equal(response.status, 401, JSON.stringify(headers))
    }
  })

  test('the origins of SPA mode may send forms', async ({ assert }) => {
    const manager = await app.container.make('auth_manager')
    manager.registerFeature('spa', { origins: [ALLOWED_ORIGIN] })
    const allowed = await send({ origin: ALLOWED_ORIGIN })
    const other = await send({ origin: `${ALLOWED_ORIGIN}.evil.com` })
    manager.registerFeature('spa', undefined as any)
    assert.deepEqual([allowed.status, other.status], [401, 403])
  })

  test('JSON is judged as before: another site has to ask before it sends any', async ({
    assert,
  }) => {
    const headers = { ...CROSS_SITE, origin: EVIL }
    const json = await new Visitor().post('/login', { json: FORM, headers })
    assert.equal(json.status, 401)
    for (const type of ['application/vnd.api+json', 'Application/JSON;charset=utf-8']) {
      const body = JSON.stringify(FORM)
      const other = await new Visitor().post(UNSAFE, {
        body,
        headers: { ...headers, 'content-type': type },
      })
      assert.equal(other.status, 200, type)
    }
  })

  test('so is a request of another site without a type, or with an unknown one', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const query = new URLSearchParams({ email: user.email, password: FACTORY_PASSWORD })
    for (const from of [{ origin: EVIL }, { 'sec-fetch-site': 'same-site' }, CROSS_SITE]) {
      for (const type of [{}, { 'content-type': 'x/y' }, { 'content-type': 'application/jsonx' }]) {
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
          const path = method === 'POST' ? `/login?${query}` : UNSAFE
          const headers = { ...from, ...type } as Record<string, string>
          const response = await new Visitor().request(method, path, { headers })
          assert.equal(response.status, 403, JSON.stringify([method, headers]))
          assert.lengthOf(response.setCookies, 0)
        }
      }
    }
  })

  test('credentials are never read from a query string', async ({ assert }) => {
    const user = await UserFactory.create()
    const query = new URLSearchParams({ email: user.email, password: FACTORY_PASSWORD })
    const without = await new Visitor().post(`/login?${query}`)
    assert.equal(without.status, 422)
    const wrong = { email: user.email, password: 'not my secret' }
    for (const body of [{ form: wrong }, { json: wrong }]) {
      const response = await new Visitor().post(`/login?${query}`, body)
      assert.equal(response.status, 401)
      assert.lengthOf(response.setCookies, 0)
    }
  })

  test('clients of OAuth, access tokens and exempt paths are not judged by their origin', async ({
    assert,
  }) => {
    const form = { grant_type: 'none', token: 'x', username: 'x', password: 'y' }
    for (const path of ['/oauth/token', '/oauth/introspect', '/oauth/revoke', '/token']) {
      const response = await send({ origin: EVIL }, { path, form })
      const { error } = (await response.json()) as { error: string }
      assert.notEqual(error, 'csrf_token_mismatch', path)
    }
    for (const authorization of ['Bearer x', 'DPoP x']) {
      const response = await send({ origin: EVIL, authorization }, { path: UNSAFE })
      assert.equal(response.status, 200, authorization)
    }
    const basic = await send({ origin: EVIL, authorization: 'Basic eDp5' }, { path: UNSAFE })
    assert.equal(basic.status, 403)

    const settings = await config()
    settings.csrfExemptPaths = [UNSAFE]
    const exempt = await send({ origin: EVIL }, { path: UNSAFE })
    settings.csrfExemptPaths = []
    assert.equal(exempt.status, 200)
  })
})

test.group('CORS', () => {
  test('answers tell caches that they depend on the origin, with one and without', async ({
    assert,
  }) => {
    for (const headers of [{}, { origin: 'http://localhost:5173' }] as Record<string, string>[]) {
      for (const path of ['/_test/session/untouched', '/api/me', '/nowhere']) {
        const response = await new Visitor().get(path, { headers })
        const vary = response.headers.get('vary')!.split(/, */)
        assert.lengthOf(
          vary.filter((name) => name.toLowerCase() === 'origin'),
          1,
          path
        )
      }
    }
  })
})

test.group('CSRF | SPA mode', (group) => {
  group.each.setup(async () => {
    const manager = await app.container.make('auth_manager')
    const original = manager.feature('spa')
    manager.registerFeature('spa', { origins: [ALLOWED_ORIGIN] })
    return () => {
      manager.registerFeature('spa', original as any)
    }
  })

  test('an origin that is not an exact member is refused before the token is looked at', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    for (const origin of [
      'https://evil.example.com',
      'null',
      `${ALLOWED_ORIGIN}.evil.com`,
      `${ALLOWED_ORIGIN}/`,
      ALLOWED_ORIGIN.toUpperCase(),
      'http://spa.example.com',
      `${ALLOWED_ORIGIN}:8443`,
    ]) {
      const response = await visitor.post(UNSAFE, { csrf: true, headers: { origin } })
      assert.equal(response.status, 403, origin)
      assert.containsSubset(await response.json(), { error: 'csrf_token_mismatch' })
    }
  })

  test('an empty origin is a present one', async ({ assert }) => {
    const { visitor } = await signedIn()
    const response = await visitor.post(UNSAFE, { csrf: true, headers: { origin: '' } })
    assert.equal(response.status, 403)
  })

  test('the refusal names the setting, and only the log names the origin', async ({ assert }) => {
    const lines: unknown[] = []
    const spy = mock.method(Logger.prototype, 'debug', (...line: unknown[]) => lines.push(line))
    const { visitor } = await signedIn()
    const response = await visitor.post(UNSAFE, {
      csrf: true,
      headers: { origin: 'https://evil.example.com' },
    })
    assert.deepEqual(await response.json(), {
      error: 'csrf_token_mismatch',
      error_description: 'The origin of the request is not allowed by STATEFUL_ORIGINS.',
    })
    assert.include(response.headers.get('vary'), 'Origin')
    spy.mock.restore()
    assert.include(JSON.stringify(lines), '"origin":"https://evil.example.com"')
  })

  test('an allowed origin still needs the token', async ({ assert }) => {
    const { visitor } = await signedIn()
    const headers = { origin: ALLOWED_ORIGIN }
    const refused = await visitor.post(UNSAFE, { headers })
    assert.equal(refused.status, 403)
    const response = await visitor.post(UNSAFE, { headers, csrf: true })
    assert.equal(response.status, 200)
  })

  test('a missing origin passes on to the token', async ({ assert }) => {
    const { visitor } = await signedIn()
    const refused = await visitor.post(UNSAFE)
    assert.equal(refused.status, 403)
    const response = await visitor.post(UNSAFE, { csrf: true })
    assert.equal(response.status, 200)
  })

  test('the origin is judged before any exemption', async ({ assert }) => {
    const settings = await config()
    settings.csrfExemptPaths = [UNSAFE]
    const { visitor } = await signedIn()
    const refused = await visitor.post(UNSAFE, { headers: { origin: 'https://evil.example.com' } })
    const response = await visitor.post(UNSAFE, { headers: { origin: ALLOWED_ORIGIN } })
    settings.csrfExemptPaths = []
    assert.deepEqual([refused.status, response.status], [403, 200])
  })

  test('the list judges live sessions alone', async ({ assert }) => {
    const response = await new Visitor().post(UNSAFE, {
      json: {},
      headers: { origin: 'https://evil.example.com' },
    })
    assert.equal(response.status, 200)
  })
})
