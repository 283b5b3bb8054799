import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { HTML, allow, consentForm, decide, open } from '#starter/helpers/consent'
import {
  OTHER_RESOURCE,
  REDIRECT_URI,
  RESOURCE,
  type TestClient,
  authorizationServer,
  authorize,
  createPkce,
  isolate,
  obtainTokens,
  opens,
  postToken,
  redemption,
  registerClient,
  useConfig,
  granted,
} from '#starter/helpers/oauth'
import { stopClock } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

/** Whether a request is answered without a page, and the answer. */
async function ask(visitor: Visitor, client: TestClient, more: Record<string, unknown> = {}) {
  const response = await open(visitor, client, more)
  const location = response.headers.get('location')
  return {
    asked: response.status === 200,
    html: await response.text(),
    answer: location?.includes('://') ? new URL(location).searchParams : null,
  }
}

test.group('Remembered consent', (group) => {
  group.each.setup(isolate)

  test('the same request is answered without a page, and the code works', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    await allow(visitor, client)

    const { verifier, challenge } = createPkce()
    const { asked, answer } = await ask(visitor, client, { code_challenge: challenge, state: 'b' })
    assert.isFalse(asked)
    assert.equal(answer!.get('state'), 'b')
    const { status, body } = await postToken(
      redemption(client, { code: answer!.get('code')!, verifier })
    )
    assert.equal(status, 200)
    assert.equal(body.scope, 'posts:read posts:write')
    assert.lengthOf(await db.from('oauth_grants'), 1)
    assert.lengthOf(await db.from('oauth_pending_authorizations'), 0)
  })

  test('an approval by the JSON pair is remembered as well', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    await authorize(visitor, client)
    assert.isFalse((await ask(visitor, client)).asked)
  })

  test('fewer scopes are answered, with no more than those', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    await allow(visitor, client)
    const { verifier, challenge } = createPkce()
    const { answer } = await ask(visitor, client, {
      code_challenge: challenge,
      scope: 'posts:read',
    })
    const { body } = await postToken(redemption(client, { code: answer!.get('code')!, verifier }))
    assert.equal(body.scope, 'posts:read')
  })

  for (const [title, more] of [
    ['a wider scope', { scope: 'posts:read posts:write mcp:use' }],
    ['another resource', { resource: OTHER_RESOURCE }],
    ['a resource where there was none', { resource: RESOURCE }],
    ['prompt=consent', { prompt: 'consent' }],
    ['prompt=select_account', { prompt: 'select_account' }],
    ['prompt=login', { prompt: 'login' }],
    ['another redirect host', { redirect_uri: 'https://other.example.com/callback' }],
    ['another port of the host', { redirect_uri: 'https://client.example.com:8443/callback' }],
  ] as const) {
    test(`${title} is asked about`, async ({ assert }) => {
      const { visitor } = await signedIn()
      const client = await registerClient({
        redirectUris: [
          REDIRECT_URI,
          'https://other.example.com/callback',
          'https://client.example.com:8443/callback',
        ],
      })
      await allow(visitor, client)
      assert.isTrue((await ask(visitor, client, more)).asked)
      assert.isFalse((await ask(visitor, client)).asked)
    })
  }

  test('another path of the same host is not asked about', async ({ assert }) => {
    const { visitor } = await signedIn()
    const other = 'https://client.example.com/other'
    const client = await registerClient({ redirectUris: [REDIRECT_URI, other] })
    await allow(visitor, client)
    assert.isFalse((await ask(visitor, client, { redirect_uri: other })).asked)
  })

  test('another user, and another client, is asked', async ({ assert }) => {
    const [ann, bob] = [await signedIn(), await signedIn()]
    const [client, other] = [await registerClient(), await registerClient()]
    await allow(ann.visitor, client)
    assert.isTrue((await ask(bob.visitor, client)).asked)
    assert.isTrue((await ask(ann.visitor, other)).asked)
  })

  for (const redirectUri of [
    'http://127.0.0.1/callback',
    'http://localhost:8080/callback',
    'http://[::1]/callback',
    'com.example.app:/callback',
  ]) {
    for (const confidential of [true, false]) {
      test(`${redirectUri} is asked about each time, ${confidential ? 'with' : 'without'} a secret`, async ({
        assert,
      }) => {
        const { visitor } = await signedIn()
        const client = await registerClient({ redirectUris: [redirectUri], confidential })
        const server = await authorizationServer()
        const [own] = await server.clients.register(
          'Own app',
          [redirectUri],
          confidential,
          [],
          [],
          null,
          { firstParty: true }
        )
        for (const { id } of [client, own]) {
          const one = { ...client, id }
          await allow(visitor, one, { redirect_uri: redirectUri })
          assert.isTrue((await ask(visitor, one, { redirect_uri: redirectUri })).asked)
        }
      })
    }
  }

  test('after a disconnect, the end of all tokens, or of one, the user is asked again', async ({
    assert,
  }) => {
    const { visitor, user } = await signedIn()
    const client = await registerClient()
    const server = await authorizationServer()
    const key = { userId: String(user.id), provider: 'users' }
    for (const end of [
      async () => {
        const [app] = await server.connectedApps.list(key)
        await server.connectedApps.disconnect(key, app!.id)
      },
      () => visitor.request('DELETE', '/oauth/tokens', { csrf: true }),
      async () => {
        const tokens = await server.userTokens.list(key)
        const { jti } = tokens.find(({ active }) => active)!
        await visitor.request('DELETE', `/oauth/tokens/${jti}`, { csrf: true })
      },
    ]) {
      await obtainTokens(visitor, client)
      assert.isFalse((await ask(visitor, client)).asked)
      await end()
      assert.isTrue((await ask(visitor, client)).asked)
    }
  })

  test('after grantTtl the user is asked again, and the tokens go on', async ({ assert }) => {
    const advance = stopClock()
    await useConfig({ grantTtl: 60 })
    const { visitor, client, tokens } = await granted()
    advance(59)
    assert.isFalse((await ask(visitor, client)).asked)
    advance(1)
    assert.isTrue((await ask(visitor, client)).asked)
    assert.isTrue(await opens(tokens.access_token))
  })

  test('a scope that was not ticked is asked about again', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    await allow(visitor, client, {}, ['posts:read'])
    assert.isFalse((await ask(visitor, client, { scope: 'posts:read' })).asked)
    assert.isTrue((await ask(visitor, client)).asked)
  })

  test('the page marks what is new and what was allowed before', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const first = await ask(visitor, client, { scope: 'posts:read mcp:use' })
    assert.notMatch(first.html, /class="tag"/)
    await decide(visitor, first.html, 'approve')
    const { html } = await ask(visitor, client)
    assert.match(html, /posts:read\)<\/span>\s*<span class="tag">allowed before/)
    assert.match(html, /posts:write\)<\/span>\s*<span class="tag">new/)
    assert.match(html, /<li>Connect an AI client/)
  })

  test('the page marks the scopes that make changes', async ({ assert }) => {
    const { visitor } = await signedIn()
    const { html } = await ask(visitor, await registerClient())
    assert.match(html, /posts:write\)<\/span>\s*<span class="tag">makes changes/)
    assert.notMatch(html, /posts:read\)<\/span>\s*<span class="tag">/)
    await useConfig({ writingScopes: ['posts:read'] })
    const other = await ask(visitor, await registerClient())
    assert.match(other.html, /posts:read\)<\/span>\s*<span class="tag">makes changes/)
  })

  test('with approvals for several contexts only the user knows which is meant', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    for (const workspace of [1, 2]) {
      const page = await open(visitor, client, { prompt: 'consent' })
      await visitor.send(`${consentForm(await page.text()).address}/approve`, {
        context: { workspace },
      })
      assert.equal((await ask(visitor, client)).asked, workspace === 2)
    }
  })

  test('a client that was revoked is not answered', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    await allow(visitor, client)
    await (await authorizationServer()).clients.revoke(client.id)
    const page = await open(visitor, client)
    assert.equal(page.status, 401)
    assert.isNull(page.headers.get('location'))
  })
})

test.group('First-party clients', (group) => {
  group.each.setup(isolate)

  async function registerOwn() {
    const server = await authorizationServer()
    const [client, secret] = await server.clients.register(
      'Our app',
      [REDIRECT_URI],
      true,
      [],
      [],
      null,
      { firstParty: true }
    )
    return { client, id: client.id, secret }
  }

  test('are allowed without a page, and appear among the connected apps', async ({ assert }) => {
    const { visitor, user } = await signedIn()
    const client = await registerOwn()
    const { verifier, challenge } = createPkce()
    const { asked, answer } = await ask(visitor, client, { code_challenge: challenge })
    assert.isFalse(asked)
    const { status } = await postToken(redemption(client, { code: answer!.get('code')!, verifier }))
    assert.equal(status, 200)
    const server = await authorizationServer()
    const apps = await server.connectedApps.list({ userId: String(user.id), provider: 'users' })
    assert.equal(apps[0]!.clientName, 'Our app')
  })

  test('are asked about with prompt=consent, and only for signed-in people', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerOwn()
    assert.isTrue((await ask(visitor, client, { prompt: 'consent' })).asked)
    const stranger = await open(new Visitor(), client)
    assert.equal(stranger.headers.get('location'), '/login')
  })

  test('of another user provider get no code', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerOwn()
    await db.from('oauth_clients').update({ provider: 'others' })
    const { answer } = await ask(visitor, client)
    assert.equal(answer!.get('error'), 'unauthorized_client')
  })
})

test.group('The parameter prompt', (group) => {
  group.each.setup(isolate)

  test('none without a session is login_required', async ({ assert }) => {
    const client = await registerClient()
    const { answer } = await ask(new Visitor(), client, { prompt: 'none' })
    assert.equal(answer!.get('error'), 'login_required')
    assert.equal(answer!.get('state'), 'a state')
    assert.isTrue(answer!.has('iss'))
  })

  test('none without an approval is consent_required, and keeps no request waiting', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { answer } = await ask(visitor, client, { prompt: 'none' })
    assert.equal(answer!.get('error'), 'consent_required')
    assert.equal(answer!.get('state'), 'a state')
    assert.lengthOf(await db.from('oauth_pending_authorizations'), 0)
  })

  test('none with an approval gives a code', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    await allow(visitor, client)
    const { answer } = await ask(visitor, client, { prompt: 'none' })
    assert.isTrue(answer!.has('code'))
  })

  test('none for a loopback client is consent_required, approved or not', async ({ assert }) => {
    const { visitor } = await signedIn()
    const redirectUri = 'http://127.0.0.1/callback'
    const client = await registerClient({ redirectUris: [redirectUri] })
    await allow(visitor, client, { redirect_uri: redirectUri })
    const { answer } = await ask(visitor, client, { redirect_uri: redirectUri, prompt: 'none' })
    assert.equal(answer!.get('error'), 'consent_required')
  })

  test('none stands alone; what is not known is ignored', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    await allow(visitor, client)
    for (const prompt of ['none login', 'consent none']) {
      const { answer } = await ask(visitor, client, { prompt })
      assert.equal(answer!.get('error'), 'invalid_request')
    }
    for (const prompt of ['create', 'constructor', ' ']) {
      const { answer } = await ask(visitor, client, { prompt })
      assert.isTrue(answer!.has('code'))
    }
  })

  test('an unknown client or redirect URI is told in place, whatever the prompt', async ({
    assert,
  }) => {
    const client = await registerClient()
    for (const more of [{ client_id: 'x' }, { redirect_uri: 'https://evil.example.com' }]) {
      const page = await open(new Visitor(), client, { ...more, prompt: 'none' })
      assert.isNull(page.headers.get('location'))
    }
  })

  test('login asks a signed-in person to sign in again, and nothing can be allowed before', async ({
    assert,
  }) => {
    const { visitor, user } = await signedIn()
    const client = await registerClient()
    await allow(visitor, client)
    const { html } = await ask(visitor, client, { prompt: 'login consent' })
    assert.include(html, 'Sign in again')
    assert.notInclude(html, 'name="scopes[]"')
    const refused = await decide(visitor, html, 'approve')
    assert.equal(refused.status, 400)
    assert.isNull(refused.headers.get('location'))

    const left = await decide(visitor, html, 'switch')
    const location = left.headers.get('location')!
    assert.equal(new URLSearchParams(location.split('?')[1]).get('prompt'), 'consent')
    const login = await visitor.get(location, { headers: HTML })
    assert.equal(login.headers.get('location'), '/login')
    await visitor.login(user.email, 'correct horse battery')
    const page = await visitor.get(location, { headers: HTML })
    assert.include(await page.text(), 'name="scopes[]"')
  })

  test('login without a session leads to the sign-in page once', async ({ assert }) => {
    const client = await registerClient()
    const stranger = await open(new Visitor(), client, { prompt: 'login' })
    assert.equal(stranger.status, 303)
    const location = stranger.headers.get('location')!
    assert.match(location, /^\/oauth\/authorize\?/)
    const fields = new URLSearchParams(location.split('?')[1])
    assert.equal(fields.get('client_id'), client.id)
    assert.isFalse(fields.has('prompt'))
  })

  test('the JSON pair does not know it', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    for (const prompt of ['none', 'login', 'none login']) {
      const { status, body } = await authorize(visitor, client, { prompt })
      assert.equal(status, 200)
      assert.sameMembers(Object.keys(body), ['code', 'state', 'iss', 'redirect_to'])
    }
  })
})
