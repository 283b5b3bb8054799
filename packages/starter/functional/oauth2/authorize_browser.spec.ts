import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import { HTML, allow, authorizationPath, consentForm, decide, open } from '#starter/helpers/consent'
import {
  REDIRECT_URI,
  RESOURCE,
  authorizationFields,
  createPkce,
  encodeForm,
  isolate,
  postToken,
  redemption,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor, signedIn } from '#starter/helpers/visitor'

test.group('/oauth/authorize in a browser', (group) => {
  group.each.setup(isolate)

  test('a person approves on a page, and the client redeems the code', async ({ assert }) => {
    const { visitor, user } = await signedIn()
    const client = await registerClient({ name: '<b>A & "client"</b>' })
    const { verifier, challenge } = createPkce()
    const state = 'ä "b"<c>&d=e+f%20'
    const page = await open(visitor, client, {
      code_challenge: challenge,
      state,
      resource: RESOURCE,
    })
    const html = await page.text()
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-type')!, /^text\/html/)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    assert.equal(page.headers.get('referrer-policy'), 'same-origin')
    assert.equal(page.headers.get('x-frame-options'), 'DENY')
    assert.notInclude(html, '<b>A')
    for (const said of ['&lt;b&gt;A', user.email, RESOURCE, 'Read your posts']) {
      assert.include(html, said)
    }

    const answer = await decide(visitor, html, 'approve')
    assert.equal(answer.status, 303)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const location = answer.headers.get('location')!
    assert.isTrue(location.startsWith(`${REDIRECT_URI}&code=`))
    const parameters = Object.fromEntries(new URL(location).searchParams)
    assert.equal(parameters.state, state)
    assert.equal(parameters.iss, await serverUrl())
    assert.equal(parameters.app, '1')

    const { status } = await postToken(redemption(client, { code: parameters.code!, verifier }))
    assert.equal(status, 200)
  })

  test('a request from an own page goes to the client by a refresh: its form-action forbids redirects', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    await allow(visitor, client)
    const headers = { ...HTML, 'sec-fetch-site': 'same-origin' }
    const answer = await visitor.get(authorizationPath(client), { headers })
    assert.equal(answer.status, 200)
    assert.isNull(answer.headers.get('location'))
    assert.isTrue(answer.headers.get('refresh')!.startsWith(`0; url=${REDIRECT_URI}&code=`))
    assert.match(answer.headers.get('content-type')!, /^text\/html/)
    assert.equal(await answer.text(), '')
    const other = { ...HTML, 'sec-fetch-site': 'same-site' }
    const redirect = await visitor.get(authorizationPath(client), { headers: other })
    assert.equal(redirect.status, 303)
    assert.isNull(redirect.headers.get('refresh'))
  })

  test('the form of the consent page leads to a site by a refresh, and to an app by a redirect', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const app = 'com.example.app:/callback'
    const client = await registerClient({ redirectUris: [REDIRECT_URI, app] })
    for (const [uri, status, header, start] of [
      [REDIRECT_URI, 200, 'refresh', `0; url=${REDIRECT_URI}&code=`],
      [app, 303, 'location', `${app}?code=`],
    ] as const) {
      const page = await open(visitor, client, { redirect_uri: uri, prompt: 'consent' })
      const form = consentForm(await page.text())
      const body = encodeForm({ ...form.hidden, 'scopes[]': form.scopes[0]! })
      const type = 'application/x-www-form-urlencoded'
      const headers = { ...HTML, 'content-type': type, 'sec-fetch-site': 'same-origin' }
      const answer = await visitor.post(`${form.address}/approve`, { body, headers })
      assert.equal(answer.status, status)
      assert.isTrue(answer.headers.get(header)!.startsWith(start))
      assert.isNull(answer.headers.get(header === 'refresh' ? 'location' : 'refresh'))
    }
  })

  test('a person denies, and the client is told access_denied', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const page = await open(visitor, client)
    const answer = await decide(visitor, await page.text(), 'deny')
    assert.equal(answer.status, 303)
    const { searchParams } = new URL(answer.headers.get('location')!)
    assert.equal(searchParams.get('error'), 'access_denied')
    assert.equal(searchParams.get('state'), 'a state')
    assert.equal(searchParams.get('iss'), await serverUrl())
    assert.isFalse(searchParams.has('code'))
    assert.lengthOf(await db.from('oauth_auth_codes'), 0)
  })

  test('who is not signed in signs in and comes back', async ({ assert }) => {
    const { user } = await signedIn()
    const client = await registerClient()
    const visitor = new Visitor()
    const path = `/oauth/authorize?${encodeForm(authorizationFields(client) as any)}`
    const answer = await visitor.get(path, { headers: HTML })
    assert.equal(answer.status, 302)
    assert.match(answer.headers.get('location')!, /\/login$/)
    assert.lengthOf(await db.from('oauth_auth_codes'), 0)

    await visitor.get('/login', { headers: HTML })
    const signed = await visitor.post('/login', {
      form: { email: user.email, password: FACTORY_PASSWORD },
      headers: HTML,
      csrf: true,
    })
    assert.equal(signed.status, 302)
    assert.include(signed.headers.get('location')!, path)
  })

  test('an unknown client and an unregistered redirect_uri are told in place, signed in or not', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const evil = 'https://evil.example.com/'
    for (const browser of [visitor, new Visitor()]) {
      for (const [more, status] of [
        [{ client_id: 'unknown' }, 401],
        [{ client_id: undefined }, 400],
        [{ redirect_uri: evil }, 400],
        [{ redirect_uri: undefined }, 400],
        [{ redirect_uri: evil, response_type: 'token' }, 400],
        [{ redirect_uri: `${REDIRECT_URI}&state=x` }, 400],
        [{ redirect_uri: 'javascript:alert(1)' }, 400],
      ] as const) {
        const page = await open(browser, client, more)
        assert.equal(page.status, status)
        assert.isNull(page.headers.get('location'))
        assert.match(page.headers.get('content-type')!, /^text\/html/)
        assert.notInclude(await page.text(), 'evil')
      }
    }
    const doubled = `${encodeForm(authorizationFields(client) as any)}&redirect_uri=${encodeURIComponent(evil)}`
    const page = await visitor.get(`/oauth/authorize?${doubled}`, { headers: HTML })
    assert.equal(page.status, 400)
    assert.isNull(page.headers.get('location'))
  })

  for (const [title, more, error] of [
    ['no response_type', { response_type: undefined }, 'invalid_request'],
    ['another response_type', { response_type: 'token' }, 'unsupported_response_type'],
    ['another response_mode', { response_mode: 'form_post' }, 'invalid_request'],
    ['an unknown scope', { scope: 'nonsense' }, 'invalid_scope'],
    ['no code_challenge', { code_challenge: undefined }, 'invalid_request'],
    ['an unlisted resource', { resource: 'https://other.example.com' }, 'invalid_target'],
  ] as const) {
    test(`${title}: the client is told ${error}, with state and iss`, async ({ assert }) => {
      const { visitor } = await signedIn()
      const client = await registerClient()
      const answer = await open(visitor, client, more)
      assert.equal(answer.status, 303)
      const location = answer.headers.get('location')!
      assert.isTrue(location.startsWith(`${REDIRECT_URI}&`))
      const { searchParams } = new URL(location)
      assert.equal(searchParams.get('error'), error)
      assert.isString(searchParams.get('error_description'))
      assert.equal(searchParams.get('state'), 'a state')
      assert.equal(searchParams.get('iss'), await serverUrl())
    })
  }

  for (const [title, more, error] of [
    ['two resources', `resource=${RESOURCE}&resource=${RESOURCE}`, 'invalid_target'],
    ['a parameter that is there twice', 'scope=a&scope=b', 'invalid_request'],
    ['a parameter that is no text', 'nonce=%ff', 'invalid_request'],
  ] as const) {
    test(`${title}: the client is told ${error}, where it is clear who asks`, async ({
      assert,
    }) => {
      const client = await registerClient()
      const send = async (fields: Record<string, any>, rest: string = more) => {
        const query = `${encodeForm({ ...authorizationFields(client), ...fields })}&${rest}`
        return new Visitor().get(`/oauth/authorize?${query}`, { headers: HTML })
      }
      const answer = await send({ scope: undefined })
      assert.equal(answer.status, 303)
      const location = answer.headers.get('location')!
      assert.isTrue(location.startsWith(`${REDIRECT_URI}&`))
      const { searchParams } = new URL(location)
      assert.equal(searchParams.get('error'), error)
      assert.equal(searchParams.get('state'), 'a state')

      const doubled = await send({ scope: undefined }, `${more}&state=b`)
      assert.isNull(new URL(doubled.headers.get('location')!).searchParams.get('state'))
      for (const unclear of [
        await send({ client_id: 'unknown' }),
        await send({ redirect_uri: 'https://evil.example.com/' }),
        await send({}, `${more}&client_id=${client.id}`),
        await send({}, `${more}&redirect_uri=${encodeURIComponent(REDIRECT_URI)}`),
        await send({ state: '\0' }),
      ]) {
        assert.equal(unclear.status, 400)
        assert.isNull(unclear.headers.get('location'))
      }
    })
  }

  test('the response_mode query is what every response has, and another one is refused after a sign-in too', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const answer = await allow(visitor, client, { response_mode: 'query' })
    assert.isTrue(answer.searchParams.has('code'))
    const wrong = authorizationPath(client, { response_mode: 'fragment', prompt: 'login' })
    const sentOn = await new Visitor().get(wrong, { headers: HTML })
    const location = sentOn.headers.get('location')!
    const refused = await visitor.get(location, { headers: HTML })
    assert.include(refused.headers.get('location')!, 'error=invalid_request')
  })

  test('a client without the grant, or of other users, is told unauthorized_client', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const without = await registerClient({ grantTypes: ['client_credentials'] })
    const answer = await open(visitor, without)
    assert.include(answer.headers.get('location')!, 'error=unauthorized_client')

    const other = await registerClient()
    await db.from('oauth_clients').where('id', other.id).update({ provider: 'others' })
    const refused = await open(visitor, other)
    assert.include(refused.headers.get('location')!, 'error=unauthorized_client')
  })

  test('a form without the CSRF token gives no code, and the request goes on waiting', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const html = await (await open(visitor, client)).text()
    for (const decision of ['approve', 'deny', 'switch']) {
      const answer = await visitor.post(`${consentForm(html).address}/${decision}`, {
        form: { 'scopes[]': 'posts:read' },
        headers: HTML,
      })
      assert.equal(answer.status, 403)
    }
    assert.lengthOf(await db.from('oauth_auth_codes'), 0)
    const answer = await decide(visitor, html, 'approve')
    assert.include(answer.headers.get('location')!, 'code=')
  })

  test('a decision that comes after the session has ended leads to the same request after login', async ({
    assert,
  }) => {
    const { visitor, user } = await signedIn()
    const client = await registerClient()
    const page = await open(visitor, client, { state: 'a & b', code_challenge: 'c'.repeat(43) })
    await db.from('sessions').delete()

    const decided = await decide(visitor, await page.text(), 'approve')
    assert.equal(decided.status, 303)
    const location = decided.headers.get('location')!
    assert.deepEqual(
      Object.fromEntries(new URLSearchParams(location.split('?')[1])),
      authorizationFields(client, { state: 'a & b', code_challenge: 'c'.repeat(43) }) as any
    )

    const again = await visitor.get(location, { headers: HTML })
    assert.equal(again.headers.get('location'), '/login')
    await visitor.get('/login', { headers: HTML })
    const signedInAgain = await visitor.post('/login', {
      form: { email: user.email, password: FACTORY_PASSWORD },
      headers: HTML,
      csrf: true,
    })
    assert.equal(signedInAgain.headers.get('location'), location)
    assert.lengthOf(await db.from('oauth_auth_codes'), 0)
  })

  test('so does one that comes after a sign-out in another tab, and it says so', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const page = await open(visitor, client, { state: 'a & b' })
    const form = await page.text()
    await visitor.post('/logout', { csrf: true, headers: HTML })
    await visitor.get('/login', { headers: HTML })

    const referer = `${await serverUrl('/oauth/authorize')}?${new URLSearchParams(authorizationFields(client) as any)}`
    const [, path] = /action="([^"]+)\/approve"/.exec(form)!
    const [, token] = /name="_token" value="([^"]+)"/.exec(form)!
    const decided = await visitor.post(`${path}/approve`, {
      form: { '_token': token!, 'scopes[]': 'a' },
      headers: { ...HTML, referer },
    })
    assert.equal(decided.headers.get('location'), '/login')
    const login = await (await visitor.get('/login', { headers: HTML })).text()
    assert.include(login, 'You were signed out in the meantime.')
    assert.lengthOf(await db.from('oauth_auth_codes'), 0)
  })

  test('the form of a client is made again by GET, without a CSRF token, and decides nothing', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const fields = authorizationFields(client) as Record<string, string>
    const headers = {
      'accept': 'text/html',
      'origin': 'https://client.example.com',
      'sec-fetch-site': 'cross-site',
    }
    for (const browser of [new Visitor(), visitor]) {
      const sent = await browser.post('/oauth/authorize', {
        form: { ...fields, approved: 'true' },
        headers,
      })
      assert.equal(sent.status, 303)
      assert.equal(sent.headers.get('cache-control'), 'no-store')
      const location = new URL(sent.headers.get('location')!)
      assert.equal(location.origin + location.pathname, await serverUrl('/oauth/authorize'))
      assert.deepEqual(Object.fromEntries(location.searchParams), { ...fields, approved: 'true' })
      const page = await visitor.get(location.href, { headers: { accept: 'text/html' } })
      assert.include(await page.text(), 'Test client')
    }
    assert.lengthOf(await db.from('oauth_auth_codes'), 0)
  })

  test('a form keeps what is wrong with it, and one that no address can hold is refused', async ({
    assert,
  }) => {
    const send = (body: string) =>
      new Visitor().post('/oauth/authorize', {
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    const twice = await send('client_id=a&client_id=b&x=%00')
    assert.isTrue(twice.headers.get('location')!.endsWith('?client_id=a&client_id=b&x=%00'))
    assert.equal((await send(`state=${'x'.repeat(7994)}`)).status, 303)
    for (const body of [
      `state=${'x'.repeat(7995)}`,
      'state=a\r\nSet-Cookie: a=b',
      'state=a#b',
      'state=\u00e4 b',
    ]) {
      const refused = await send(body)
      assert.equal(refused.status, 400)
      assert.equal(((await refused.json()) as any).error, 'invalid_request')
    }
  })

  test('JSON without the CSRF token is refused as before', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const json = { ...authorizationFields(client), approved: true }
    for (const type of [
      'application/json',
      'application/json; application/x-www-form-urlencoded',
    ]) {
      const response = await visitor.post('/oauth/authorize', {
        body: JSON.stringify(json),
        headers: { 'content-type': type },
      })
      assert.equal(response.status, 403, type)
    }
  })

  test('where a redirect_uri need not be sent, the browser goes to the only registered one', async ({
    assert,
  }) => {
    await useConfig({ requireRedirectUri: false })
    const { visitor } = await signedIn()
    const one = await registerClient()
    const page = await open(visitor, one, { redirect_uri: undefined })
    const answer = await decide(visitor, await page.text(), 'approve')
    assert.isTrue(answer.headers.get('location')!.startsWith(`${REDIRECT_URI}&code=`))

    const two = await registerClient({ redirectUris: [REDIRECT_URI, 'https://b.example.com/'] })
    const lost = await open(visitor, two, { redirect_uri: undefined })
    assert.equal(lost.status, 400)
    assert.isNull(lost.headers.get('location'))
  })

  test('two redirect_uris are not as none: the person gets a page', async ({ assert }) => {
    await useConfig({ requireRedirectUri: false })
    const { visitor } = await signedIn()
    const path = authorizationPath(await registerClient())
    for (const other of ['https://other.example.com/', encodeURIComponent(REDIRECT_URI)]) {
      const answer = await visitor.get(`${path}&redirect_uri=${other}`, { headers: HTML })
      assert.equal(answer.status, 400)
      assert.isNull(answer.headers.get('location'))
    }
  })

  test('an Accept without text/html, wildcards too, gets JSON', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    for (const accept of ['*/*', 'application/json', 'text/plain']) {
      const response = await visitor.get(
        `/oauth/authorize?${encodeForm(authorizationFields(client) as any)}`,
        { headers: { accept } }
      )
      assert.match(response.headers.get('content-type')!, /^application\/json/)
    }
  })
})
