import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { HTML, allow, decide, open } from '#starter/helpers/consent'
import {
  type TestClient,
  authorizationFields,
  authorize,
  encodeForm,
  isolate,
} from '#starter/helpers/oauth'
import {
  SCOPE,
  registerRelyingParty,
  signInByPages,
  signInTo,
  useOpenId,
  parties,
} from '#starter/helpers/openid'
import { serverUrl } from '#starter/helpers/server_url'
import { stopClock } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

/** What a browser is answered: the parameters that the client gets, or a page. */
async function ask(visitor: Visitor, client: TestClient, more: Record<string, unknown> = {}) {
  const response = await open(visitor, client, { scope: SCOPE, ...more })
  const location = response.headers.get('location') ?? ''
  const answer = location.startsWith('https://') ? new URL(location).searchParams : null
  return { location, answer, html: await response.text(), error: answer?.get('error') }
}

/** Presses a button of a page that is not the consent page. */
async function press(visitor: Visitor, html: string, name: string) {
  const [, action] = new RegExp(`(?:form)?action="([^"]+/${name})"`).exec(html)!
  const [, token] = /name="_token" value="([^"]+)"/.exec(html)!
  const response = await visitor.post(action!, {
    body: encodeForm({ _token: token! }),
    headers: { ...HTML, 'content-type': 'application/x-www-form-urlencoded' },
  })
  return response.headers.get('location')!
}

test.group('Authentication requests (OpenID Connect Core 1.0 §3.1.2)', (group) => {
  group.each.setup(isolate)

  test('§3.1.2.1 prompt=none answers a signed-in person who has allowed it before', async ({
    assert,
  }) => {
    const { visitor, client } = await parties()
    assert.equal((await ask(visitor, client, { prompt: 'none' })).error, 'consent_required')
    await allow(visitor, client, { scope: SCOPE })
    assert.isTrue((await ask(visitor, client, { prompt: 'none' })).answer!.has('code'))
  })

  test('§3.1.2.6 prompt=none without a sign-in is login_required', async ({ assert }) => {
    await useOpenId()
    const client = await registerRelyingParty()
    const { error, answer } = await ask(new Visitor(), client, { prompt: 'none' })
    assert.equal(error, 'login_required')
    assert.equal(answer!.get('state'), 'a state')
  })

  test('§3.1.2.6 prompt=none where only a person can answer is interaction_required', async ({
    assert,
  }) => {
    await useOpenId()
    const { visitor } = await signedIn()
    const redirectUri = 'http://127.0.0.1:8080/callback'
    const client = await registerRelyingParty({}, { redirectUris: [redirectUri] })
    const more = { scope: SCOPE, redirect_uri: redirectUri }
    await allow(visitor, client, more)
    const response = await open(visitor, client, { ...more, prompt: 'none' })
    const answer = new URL(response.headers.get('location')!).searchParams
    assert.equal(answer.get('error'), 'interaction_required')
  })

  test('§3.1.2.1 max_age: a sign-in that is too old has to be made again, and is new then', async ({
    assert,
  }) => {
    const tick = stopClock()
    const { user, visitor, client } = await parties()
    await allow(visitor, client, { scope: SCOPE })
    tick(59)
    assert.isTrue((await ask(visitor, client, { max_age: '60' })).answer!.has('code'))
    tick(1)
    const { html, answer } = await ask(visitor, client, { max_age: '60', nonce: 'kept' })
    assert.isNull(answer)
    assert.include(html, 'Sign in again')
    const location = await press(visitor, html, 'switch')
    assert.include(location, 'nonce=kept')
    assert.equal((await visitor.get(location, { headers: HTML })).headers.get('location'), '/login')
    const form = { email: user.email, password: FACTORY_PASSWORD }
    await visitor.send('/login', form)
    const back = await visitor.get(location, { headers: HTML })
    assert.isTrue(new URL(back.headers.get('location')!).searchParams.has('code'))
  })

  test('max_age=0 asks a person who signs in for it once, and not twice', async ({ assert }) => {
    await useOpenId()
    const user = await UserFactory.create()
    const visitor = new Visitor()
    const client = await registerRelyingParty()
    const first = await ask(visitor, client, { max_age: '0' })
    assert.match(first.location, /^\/oauth\/authorize\?/)
    assert.notInclude(first.location, 'max_age')
    await visitor.login(user.email, FACTORY_PASSWORD)
    const page = await visitor.get(first.location, { headers: HTML })
    assert.notInclude(await page.text(), 'Sign in again')
  })

  test('who decides after the session has ended signs in once: the request comes back without max_age', async ({
    assert,
  }) => {
    const { visitor, client } = await parties()
    const kept = { scope: SCOPE, prompt: 'consent', nonce: 'kept', code_challenge: 'c'.repeat(43) }
    const page = await open(visitor, client, { ...kept, max_age: '600' })
    await db.from('sessions').delete()
    const decided = await decide(visitor, await page.text(), 'approve')
    const location = decided.headers.get('location')!
    assert.match(location, /^\/oauth\/authorize\?/)
    assert.deepEqual(
      Object.fromEntries(new URLSearchParams(location.split('?')[1])),
      authorizationFields(client, kept) as any
    )
  })

  test('§3.1.2.6 max_age with prompt=none is login_required', async ({ assert }) => {
    const tick = stopClock()
    const { visitor, client } = await parties()
    await allow(visitor, client, { scope: SCOPE })
    tick(10)
    const { error } = await ask(visitor, client, { prompt: 'none', max_age: '10' })
    assert.equal(error, 'login_required')
  })

  test('a first-party client is not answered by a sign-in that is too old', async ({ assert }) => {
    const tick = stopClock()
    await useOpenId()
    const { visitor } = await signedIn()
    const client = await registerRelyingParty({}, { firstParty: true })
    assert.isTrue((await ask(visitor, client, { max_age: '10' })).answer!.has('code'))
    tick(10)
    assert.isNull((await ask(visitor, client, { max_age: '10' })).answer)
  })

  test('max_age counts for the JSON pair too', async ({ assert }) => {
    const tick = stopClock()
    const { visitor, client } = await parties()
    tick(10)
    const old = await authorize(visitor, client, { scope: SCOPE, max_age: '10' })
    assert.equal(old.body.error, 'login_required')
    const { status } = await authorize(visitor, client, { scope: SCOPE, max_age: '11' })
    assert.equal(status, 200)
  })

  for (const maxAge of ['-1', '1.5', 'soon', '99999999999']) {
    test(`max_age=${maxAge} is invalid_request`, async ({ assert }) => {
      await useOpenId()
      const { visitor } = await signedIn()
      const { error } = await ask(visitor, await registerRelyingParty(), { max_age: maxAge })
      assert.equal(error, 'invalid_request')
    })
  }

  test('§3.1.2.1 prompt=login asks for a sign-in, and the ID token has its time', async ({
    assert,
  }) => {
    const tick = stopClock()
    const { user, visitor, client } = await parties()
    await allow(visitor, client, { scope: SCOPE })
    tick(500)
    const { html } = await ask(visitor, client, { prompt: 'login' })
    const location = await press(visitor, html, 'switch')
    await visitor.send('/login', { email: user.email, password: FACTORY_PASSWORD })
    const back = await visitor.get(location, { headers: HTML })
    assert.isTrue(new URL(back.headers.get('location')!).searchParams.has('code'))
    const { id_token: idToken } = await signInTo(visitor, client)
    assert.equal(decodeJwt(idToken).auth_time, Math.floor(Date.now() / 1000))
  })

  test('§3.1.2.1 prompt=consent asks again', async ({ assert }) => {
    const { visitor, client } = await parties()
    await allow(visitor, client, { scope: SCOPE })
    assert.isNull((await ask(visitor, client, { prompt: 'consent' })).answer)
  })

  test('§3.1.2.1 prompt=select_account lets a person go on, change or cancel', async ({
    assert,
  }) => {
    const { user, visitor, client } = await parties()
    await allow(visitor, client, { scope: SCOPE })
    const select = () => ask(visitor, client, { prompt: 'select_account' })

    const { html, answer } = await select()
    assert.isNull(answer)
    assert.include(html, `Continue as ${user.email}`)
    const onward = await press(visitor, html, 'select')
    assert.notInclude(onward, 'select_account')
    const done = await visitor.get(onward, { headers: HTML })
    assert.isTrue(new URL(done.headers.get('location')!).searchParams.has('code'))

    const denied = new URL(await press(visitor, (await select()).html, 'deny'))
    assert.equal(denied.searchParams.get('error'), 'access_denied')
    await press(visitor, (await select()).html, 'switch')
    assert.equal((await visitor.get('/api/me')).status, 401)
  })

  test('a handle of the account page works once, and in its own session alone', async ({
    assert,
  }) => {
    const { visitor, client } = await parties()
    const { html } = await ask(visitor, client, { prompt: 'select_account' })
    const [, action] = /action="([^"]+\/select)"/.exec(html)!
    const { visitor: other } = await signedIn()
    const post = (caller: Visitor) => caller.send(action!)
    assert.equal((await post(other)).status, 404)
    const { redirect_to: location } = (await (await post(visitor)).json()) as any
    assert.isTrue(location.startsWith(`${await serverUrl()}/oauth/authorize?`))
    assert.equal((await post(visitor)).status, 404)
  })

  test('§3.1.2.1 ui_locales, display, acr_values, claims and unknown parameters are accepted', async ({
    assert,
  }) => {
    const { visitor, client } = await parties()
    const tokens = await signInByPages(visitor, client, {
      ui_locales: 'fr-CA fr en',
      display: 'popup',
      acr_values: 'phr',
      claims: '{"userinfo":{}}',
      claims_locales: 'de',
      of_tomorrow: 'yes',
    })
    assert.isString(tokens.id_token)
  })

  test('§3.1.2.1 login_hint fills the sign-in form in', async ({ assert }) => {
    await useOpenId()
    const client = await registerRelyingParty()
    const visitor = new Visitor()
    const hint = 'ann+"><b>@example.com'
    await ask(visitor, client, { login_hint: hint })
    const page = await visitor.get('/login', { headers: HTML })
    const html = await page.text()
    assert.include(html, 'value="ann+&quot;&gt;&lt;b&gt;@example.com"')
    assert.notInclude(await (await new Visitor().get('/login', { headers: HTML })).text(), 'ann+')
  })

  test('a login_hint may be as long as an address, and is ignored when it is longer', async ({
    assert,
  }) => {
    await useOpenId()
    const client = await registerRelyingParty()
    for (const [length, isTaken] of [
      [254, true],
      [255, false],
    ] as const) {
      const visitor = new Visitor()
      const hint = 'a'.repeat(length)
      await ask(visitor, client, { login_hint: hint })
      const html = await (await visitor.get('/login', { headers: HTML })).text()
      assert.equal(html.includes(`value="${hint}"`), isTaken)
    }
  })

  for (const [parameter, error] of [
    ['request', 'request_not_supported'],
    ['request_uri', 'request_uri_not_supported'],
  ] as const) {
    test(`§3.1.2.6 the parameter ${parameter} is ${error}`, async ({ assert }) => {
      const { visitor, client } = await parties()
      const more = { [parameter]: 'https://client.example.com/request.jwt' }
      assert.equal((await ask(visitor, client, more)).error, error)
      assert.equal((await authorize(visitor, client, more)).body.error, error)
    })
  }
})

test.group('id_token_hint (OpenID Connect Core 1.0 §3.1.2.1)', (group) => {
  group.each.setup(isolate)

  test('of the person who is signed in is answered', async ({ assert }) => {
    const { visitor, client } = await parties()
    const { id_token: hint } = await signInTo(visitor, client)
    const { answer } = await ask(visitor, client, { id_token_hint: hint, prompt: 'none' })
    assert.isTrue(answer!.has('code'))
  })

  test('may have expired', async ({ assert }) => {
    const tick = stopClock()
    const { visitor, client } = await parties()
    const { id_token: hint } = await signInTo(visitor, client)
    tick(3000)
    const { answer } = await ask(visitor, client, { id_token_hint: hint, prompt: 'none' })
    assert.isTrue(answer!.has('code'))
  })

  test('of another person is login_required, or asks for another sign-in', async ({ assert }) => {
    await useOpenId()
    const [ann, bob] = [await signedIn(), await signedIn()]
    const client = await registerRelyingParty()
    const { id_token: hint } = await signInTo(ann.visitor, client)
    await signInTo(bob.visitor, client)
    const silent = await ask(bob.visitor, client, { id_token_hint: hint, prompt: 'none' })
    assert.equal(silent.error, 'login_required')
    const { answer, html } = await ask(bob.visitor, client, { id_token_hint: hint })
    assert.isNull(answer)
    assert.include(html, 'Sign in again')
    const json = await authorize(bob.visitor, client, { scope: SCOPE, id_token_hint: hint })
    assert.equal(json.body.error, 'login_required')
  })

  test('whose key has been taken out since is as none, and with prompt=none login_required', async ({
    assert,
  }) => {
    const { keys } = await useOpenId()
    const { visitor } = await signedIn()
    const client = await registerRelyingParty()
    const { id_token: hint } = await signInTo(visitor, client)
    const kid = keys.signingKid!
    await keys.stored!.add('RS256', Date.now())
    await keys.stored!.store.delete(kid)
    await keys.refresh()
    const silent = await ask(visitor, client, { id_token_hint: hint, prompt: 'none' })
    assert.equal(silent.error, 'login_required')
    const { answer } = await ask(visitor, client, { id_token_hint: hint })
    assert.isTrue(answer!.has('code'))
  })

  test('of another client, with another signature, or of another kind is invalid_request', async ({
    assert,
  }) => {
    const { keys } = await useOpenId()
    const { visitor } = await signedIn()
    const [client, other] = [await registerRelyingParty(), await registerRelyingParty()]
    await allow(visitor, client, { scope: SCOPE })
    const own = await signInTo(visitor, client)
    const foreign = await signInTo(visitor, other)
    const [header, claims] = own.id_token.split('.')
    const ofAnotherKind = await keys.sign(decodeJwt(own.id_token), { typ: 'logout+jwt' })
    const unsigned = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
    for (const hint of [
      foreign.id_token,
      `${header}.${claims}.${foreign.id_token.split('.')[2]}`,
      `${unsigned}.${claims}.`,
      own.access_token,
      ofAnotherKind,
      'nonsense',
    ]) {
      const { error } = await ask(visitor, client, { id_token_hint: hint, prompt: 'none' })
      assert.equal(error, 'invalid_request')
    }
  })
})

test.group('Mix-up (RFC 9207)', (group) => {
  group.each.setup(isolate)

  test('answers and ID tokens name the same issuer', async ({ assert }) => {
    const { config } = await useOpenId()
    const { visitor } = await signedIn()
    const client = await registerRelyingParty()
    const answer = await allow(visitor, client, { scope: SCOPE })
    const { id_token: idToken } = await signInTo(visitor, client)
    assert.equal(answer.searchParams.get('iss'), config.issuer)
    assert.equal(decodeJwt(idToken).iss, config.issuer)
    const refused = await ask(visitor, client, { prompt: 'none', max_age: 'x' })
    assert.equal(refused.answer!.get('iss'), config.issuer)
  })

  test('a request that leads nowhere known is told in place', async ({ assert }) => {
    const { visitor, client } = await parties()
    const fields = authorizationFields(client, {
      redirect_uri: 'https://evil.example.com/',
      request: 'x',
    })
    const response = await visitor.get(`/oauth/authorize?${encodeForm(fields as any)}`, {
      headers: HTML,
    })
    assert.equal(response.status, 400)
    assert.isNull(response.headers.get('location'))
  })
})
