import { test } from '@japa/runner'

import { HTML } from '#starter/helpers/consent'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import {
  askForDevice,
  beginDevice,
  decideDevice,
  openDevice,
  pollDevice,
  useDevices,
} from '#starter/helpers/device'
import { isolate, obtainTokens, read, registerClient } from '#starter/helpers/oauth'
import { wide } from '#starter/helpers/two_factor'
import { Visitor, signedIn } from '#starter/helpers/visitor'

/** Presses a button of the page with the fields of its form. */
async function press(
  visitor: Visitor,
  html: string,
  decision: 'approve' | 'deny',
  scopes?: string[]
) {
  const hidden = html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  const ticked = html.matchAll(/<input type="checkbox" name="scopes\[\]" value="([^"]+)" checked/g)
  const body = new URLSearchParams(
    Object.fromEntries([...hidden].map(([, name, value]) => [name!, value!]))
  )
  for (const scope of scopes ?? [...ticked].map(([, value]) => value!)) {
    body.append('scopes[]', scope)
  }
  return visitor.post(`/device/${decision}`, {
    body: body.toString(),
    headers: { ...HTML, 'content-type': 'application/x-www-form-urlencoded' },
  })
}

/** Where a form that has decided leads: that page can be loaded again. */
function decidedPage({ status, headers }: Response): string {
  return status === 303 ? headers.get('location')! : `/no_redirect/${status}`
}

test.group('The page for devices', (group) => {
  group.each.setup(isolate)

  test('who is not signed in signs in first, and comes back with the code', async ({ assert }) => {
    await useDevices()
    const user = await UserFactory.create()
    const { user_code: code } = await beginDevice(await registerClient())
    const visitor = new Visitor()
    const away = await openDevice(visitor, code)
    assert.equal(away.status, 302)
    assert.equal(away.headers.get('location'), '/login')
    await visitor.get('/login', { headers: HTML })
    const back = await visitor.post('/login', {
      form: { email: user.email, password: FACTORY_PASSWORD },
      headers: HTML,
      csrf: true,
    })
    assert.equal(back.headers.get('location'), `/device?user_code=${code}`)
  })

  test('a stranger is shown no field for a code either, also by a link of another site', async ({
    assert,
  }) => {
    await useDevices()
    const headers = { ...HTML, 'sec-fetch-site': 'cross-site' }
    for (const path of ['/device', '/device?user_code=BBBB-BBBB']) {
      const response = await new Visitor().get(path, { headers })
      assert.equal(response.status, 302, path)
      assert.equal(response.headers.get('location'), '/login')
    }
  })

  test('a code is found in wide letters, too', async ({ assert }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const { user_code: code } = await beginDevice(await registerClient())
    const page = await openDevice(visitor, wide(code.toLowerCase()))
    assert.include(await page.text(), `<p class="code">${code}</p>`)
  })

  test('the field for the code has the focus, also after a wrong one', async ({ assert }) => {
    await useDevices()
    const { visitor } = await signedIn()
    for (const path of ['/device', '/device?user_code=BBBB-BBBB']) {
      const page = await visitor.get(path, { headers: HTML })
      assert.match(await page.text(), /<input\s+id="user_code"[^>]*\sautofocus\s/)
    }
  })

  test('§5.4: names who asks, from where and with what, before anything can be allowed', async ({
    assert,
  }) => {
    await useDevices()
    const { visitor, user } = await signedIn()
    const client = await registerClient({ name: 'The <television>' })
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    const { body } = await askForDevice(client, {}, { 'user-agent': agent })
    const answer = await openDevice(visitor, body.user_code)
    const page = await answer.text()
    for (const text of [
      'Sign The &lt;television&gt; in to your account?',
      body.user_code,
      '127.0.0.1',
      'Firefox',
      user.email,
      'Read your posts',
      'Someone else may have sent you this code.',
    ]) {
      assert.include(page, text)
    }
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.equal(answer.headers.get('x-frame-options'), 'DENY')
    assert.equal(answer.headers.get('referrer-policy'), 'same-origin')
    const { body: json } = await read(await visitor.get(`/device?user_code=${body.user_code}`))
    assert.equal(json.client_name, 'The <television>')
    assert.equal(json.ip_address, '127.0.0.1')
    assert.equal(json.browser, 'Firefox')
  })

  test('§5.4: no approval from before and no first-party client spares the question', async ({
    assert,
  }) => {
    const server = await useDevices()
    const { visitor } = await signedIn()
    const [client] = await server.clients.register('Ours', [], false, [], [], null, {
      firstParty: true,
    })
    const known = { client, id: client.id, secret: null }
    for (let round = 0; round < 2; round++) {
      const device = await beginDevice(known)
      assert.include(await (await openDevice(visitor, device.user_code)).text(), 'Sign Ours in')
      const pending = await pollDevice(known, device.device_code)
      assert.equal(pending.body.error, 'authorization_pending')
      await decideDevice(visitor, device.user_code)
    }
  })

  test('what was decided is a page of its own; no link of another site leads to it', async ({
    assert,
  }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const device = await beginDevice(await registerClient())
    const page = await (await openDevice(visitor, device.user_code)).text()
    const path = decidedPage(await press(visitor, page, 'approve'))
    const textFor = async (headers: Record<string, string>) =>
      (await visitor.get(path, { headers: { ...HTML, ...headers } })).text()
    assert.include(await textFor({}), 'The device is signed in')
    assert.notInclude(await textFor({ 'sec-fetch-site': 'cross-site' }), 'The device is signed in')
    const stranger = await new Visitor().get(path, { headers: HTML })
    assert.equal(stranger.headers.get('location'), '/login')
  })

  test('"Allow" allows the ticked scopes, "Deny" denies', async ({ assert }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const allowed = await beginDevice(client)
    const page = await (await openDevice(visitor, allowed.user_code)).text()
    const none = await press(visitor, page, 'approve', [])
    assert.equal(none.status, 400)
    const refused = await none.text()
    assert.include(refused, 'Tick what you allow')
    assert.notMatch(refused, /name="scopes\[\]"[^>]*checked/)
    const done = await press(visitor, page, 'approve', ['posts:read'])
    const shown = await visitor.get(decidedPage(done), { headers: HTML })
    assert.include(await shown.text(), 'The device is signed in')
    assert.equal((await pollDevice(client, allowed.device_code)).body.scope, 'posts:read')

    const denied = await beginDevice(client)
    const other = await (await openDevice(visitor, denied.user_code)).text()
    const refusal = decidedPage(await press(visitor, other, 'deny'))
    assert.include(await (await visitor.get(refusal, { headers: HTML })).text(), 'not signed in')
    assert.equal((await pollDevice(client, denied.device_code)).body.error, 'access_denied')
    const again = await press(visitor, other, 'approve')
    assert.equal(again.status, 404)
    assert.include(await again.text(), 'No device waits under this code')
  })

  test('a wrong code is shown again, as text', async ({ assert }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const answer = await openDevice(visitor, '<b>nonsense</b>')
    assert.equal(answer.status, 404)
    const page = await answer.text()
    assert.include(page, 'No device waits under this code')
    assert.include(page, 'value="&lt;b&gt;nonsense&lt;/b&gt;"')
  })

  test('a decision needs the CSRF token of the session', async ({ assert }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const { user_code: code } = await beginDevice(await registerClient())
    const response = await visitor.post('/device/approve', { json: { user_code: code } })
    assert.equal((await read(response)).body.error, 'csrf_token_mismatch')
  })

  test('a decision after the session has ended leads to the sign-in page and back', async ({
    assert,
  }) => {
    await useDevices()
    const { user_code: code } = await beginDevice(await registerClient())
    const answer = await press(
      new Visitor(),
      `<input type="hidden" name="user_code" value="${code}"`,
      'approve'
    )
    assert.equal(answer.status, 303)
    assert.equal(answer.headers.get('location'), `/device?user_code=${code}`)
  })

  test('malformed requests are refused in one way', async ({ assert }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const { user_code: code } = await beginDevice(await registerClient())
    for (const json of [{}, { user_code: 7 }, { user_code: code, scopes: 'posts:read' }]) {
      const { body } = await read(await visitor.send('/device/approve', json))
      assert.equal(body.error, 'invalid_request')
    }
    assert.equal((await read(await visitor.get('/device'))).body.error, 'invalid_request')
    assert.equal((await read(await new Visitor().get('/device?user_code=x'))).status, 401)
  })

  test('a context that is no JSON object, or too long, is refused, and the device waits on', async ({
    assert,
  }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { user_code: code, device_code: deviceCode } = await beginDevice(client)
    for (const context of ['a', 1, true, [1], { long: 'x'.repeat(4086) }]) {
      const { status, body } = await decideDevice(visitor, code, 'approve', { context })
      assert.equal(status, 400)
      assert.equal(body.error, 'invalid_request')
    }
    assert.equal((await pollDevice(client, deviceCode)).body.error, 'authorization_pending')
    const context = { long: 'x'.repeat(4085) }
    assert.equal((await decideDevice(visitor, code, 'approve', { context })).status, 200)
  })

  test('who approves by a token hands out no more than it carries, and only through the guard of approvals', async ({
    assert,
  }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { access_token: token } = await obtainTokens(visitor, client, { scope: 'posts:read' })
    const { user_code: code } = await beginDevice(client)
    const approve = async (more = {}) =>
      new Visitor().post('/device/approve', {
        json: { user_code: code, ...more },
        headers: { authorization: `Bearer ${token}` },
      })
    assert.equal((await approve()).status, 401)
    await useDevices({}, { authorizationGuard: 'oauth' })
    assert.equal((await read(await approve())).body.error, 'access_denied')
    assert.equal((await approve({ scopes: ['posts:read'] })).status, 200)
  })

  test('a client for the users of another user provider is refused', async ({ assert }) => {
    const server = await useDevices()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { user_code: code } = await beginDevice(client)
    const { find } = server.clients
    server.clients.find = async () => Object.assign(client.client, { provider: 'staff' })
    const { body } = await decideDevice(visitor, code)
    server.clients.find = find
    assert.equal(body.error, 'unauthorized_client')
  })
})
