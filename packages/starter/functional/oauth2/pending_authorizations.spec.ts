import emitter from '@adonisjs/core/services/emitter'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import { HTML, consentForm, decide, open, openPending } from '#starter/helpers/consent'
import {
  REDIRECT_URI,
  RESOURCE,
  authorizationServer,
  createPkce,
  isolate,
  obtainTokens,
  postToken,
  read,
  redemption,
  refreshing,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { serverUrl } from '#starter/helpers/server_url'
import { stopClock } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const pathOf = (handle: string, decision = '') =>
  `/oauth/authorizations/${handle}${decision && `/${decision}`}`

/** Decides as a single-page app does. */
async function answer(visitor: Visitor, handle: string, decision: string, json: unknown = {}) {
  return read(await visitor.send(pathOf(handle, decision), json))
}

const describe = async (visitor: Visitor, handle: string) => read(await visitor.get(pathOf(handle)))

test.group('Pending authorizations', (group) => {
  group.each.setup(isolate)

  test('a page of your own learns what is asked', async ({ assert }) => {
    stopClock()
    const { visitor, user } = await signedIn()
    const client = await registerClient({ name: 'A client' })
    await obtainTokens(visitor, client, { scope: 'posts:read mcp:use', resource: RESOURCE })
    const handle = await openPending(visitor, client, { resource: RESOURCE })
    const { status, headers, body } = await describe(visitor, handle)
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('referrer-policy'), 'same-origin')
    assert.deepEqual(body, {
      expires_at: Date.now() / 1000 + 900,
      client_id: client.id,
      client_name: 'A client',
      client_host: null,
      redirect_uri: REDIRECT_URI,
      redirect_host: 'client.example.com',
      redirect_kind: 'web',
      user_id: String(user.id),
      resource: RESOURCE,
      scopes: [
        { name: 'posts:read', description: 'Read your posts', granted: true, writes: false },
        {
          name: 'posts:write',
          description: 'Write and change your posts',
          granted: false,
          writes: true,
        },
      ],
      other_granted_scopes: [
        { name: 'mcp:use', description: 'Connect an AI client to this application' },
      ],
      requires_login: false,
    })
  })

  test('a client with a metadata document is shown by its host; its name is only a claim', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const registered = await registerClient({ name: 'Your Bank', confidential: false })
    const id = 'https://ai.example.com:8443/client.json'
    await db
      .from('oauth_clients')
      .where('id', registered.id)
      .update({ id, source: 'document', document_expires_at: Date.now() + 60_000 })
    const html = await (await open(visitor, { ...registered, id })).text()
    assert.include(html, 'Allow ai.example.com:8443 to use your account?')
    assert.include(html, 'It calls itself “Your Bank”. Only its address has been checked.')
    const { body } = await describe(visitor, consentForm(html).handle)
    assert.equal(body.client_host, 'ai.example.com:8443')
    await decide(visitor, html, 'approve')
    const apps = await read(await visitor.get('/api/connected-apps'))
    assert.equal(apps.body.connected_apps[0].client_host, 'ai.example.com:8443')
  })

  for (const [uri, host, kind] of [
    ['https://client.example.com:8443/cb', 'client.example.com:8443', 'web'],
    ['http://127.0.0.1/cb', '127.0.0.1', 'loopback'],
    ['http://[::1]/cb', '[::1]', 'loopback'],
    ['http://localhost:3000/cb', 'localhost', 'loopback'],
    ['com.example.app:/cb', 'com.example.app:', 'app'],
  ] as const) {
    test(`the answer to ${uri} goes to ${host}, ${kind}`, async ({ assert }) => {
      const { visitor } = await signedIn()
      const client = await registerClient({ redirectUris: [uri] })
      const html = await (await open(visitor, client, { redirect_uri: uri })).text()
      const { body } = await describe(visitor, consentForm(html).handle)
      assert.equal(body.redirect_host, host)
      assert.equal(body.redirect_kind, kind)
      assert.equal(html.includes('Any program on this device can ask like this.'), kind !== 'web')
    })
  }

  test('approve gives the address with the code; scopes and context stay on the grant', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { verifier, challenge } = createPkce()
    const handle = await openPending(visitor, client, { code_challenge: challenge })
    const context = { workspace: 7, name: 'ä' }
    const { status, headers, body } = await answer(visitor, handle, 'approve', {
      scopes: ['posts:read'],
      context,
    })
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('referrer-policy'), 'same-origin')
    assert.deepEqual(Object.keys(body), ['redirect_to'])
    assert.isTrue(body.redirect_to.startsWith(`${REDIRECT_URI}&code=`))

    const code = new URL(body.redirect_to).searchParams.get('code')!
    const tokens = await postToken(redemption(client, { code, verifier }))
    assert.equal(tokens.body.scope, 'posts:read')
    const [grant] = await db.from('oauth_grants')
    assert.deepEqual(JSON.parse(grant.scopes), ['posts:read'])
    assert.deepEqual(JSON.parse(grant.context), context)
    const wider = await postToken(
      refreshing(client, tokens.body.refresh_token, { scope: 'posts:read posts:write' })
    )
    assert.equal(wider.body.error, 'invalid_grant')
  })

  test('without scopes in the JSON all are allowed', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    for (const json of [{}, { scopes: null, context: null }]) {
      const handle = await openPending(visitor, client, { prompt: 'consent' })
      assert.equal((await answer(visitor, handle, 'approve', json)).status, 200)
    }
    const [grant] = await db.from('oauth_grants')
    assert.deepEqual(JSON.parse(grant.scopes), ['posts:read', 'posts:write'])
  })

  test('deny gives the address with access_denied, and no code', async ({ assert, cleanup }) => {
    const { visitor, user } = await signedIn()
    const client = await registerClient()
    const handle = await openPending(visitor, client)
    const told: unknown[] = []
    cleanup(emitter.on('oauth2:consent_denied', (event) => void told.push(event)))
    cleanup(emitter.on('oauth2:refused', ({ reason }) => void told.push(reason)))
    const { status, body } = await answer(visitor, handle, 'deny')
    const scopes = ['posts:read', 'posts:write']
    assert.deepEqual(told, [
      { clientId: client.id, userId: String(user.id), scopes, resource: null },
      'The user denied the request.',
    ])
    assert.equal(status, 200)
    const { searchParams } = new URL(body.redirect_to)
    assert.equal(searchParams.get('error'), 'access_denied')
    assert.equal(searchParams.get('state'), 'a state')
    assert.lengthOf(await db.from('oauth_auth_codes'), 0)
    assert.lengthOf(await db.from('oauth_grants'), 0)
  })

  test('switch gives the whole URL of the request, for pages of other origins, too', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const handle = await openPending(visitor, await registerClient())
    const { body } = await answer(visitor, handle, 'switch')
    assert.isTrue(body.redirect_to.startsWith(`${await serverUrl()}/oauth/authorize?`))
  })

  for (const first of ['approve', 'deny', 'switch']) {
    test(`a handle is used once: nothing comes after ${first}`, async ({ assert }) => {
      const { visitor, user } = await signedIn()
      const client = await registerClient()
      const handle = await openPending(visitor, client)
      await answer(visitor, handle, first)
      if (first === 'switch') {
        await visitor.login(user.email, FACTORY_PASSWORD)
      }
      for (const again of ['approve', 'deny', 'switch']) {
        const { status, body } = await answer(visitor, handle, again)
        assert.equal(status, 404)
        assert.equal(body.error, 'unknown_authorization')
      }
      assert.equal((await describe(visitor, handle)).status, 404)
      assert.lengthOf(await db.from('oauth_auth_codes'), first === 'approve' ? 1 : 0)
    })
  }

  test('of many approvals at once one gives a code', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const handle = await openPending(visitor, client)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => answer(visitor, handle, 'approve'))
    )
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [200, ...Array(7).fill(404)])
    assert.lengthOf(await db.from('oauth_auth_codes'), 1)
  })

  test('the handle of another user is unknown', async ({ assert }) => {
    const [ann, bob] = [await signedIn(), await signedIn()]
    const client = await registerClient()
    const handle = await openPending(ann.visitor, client)
    assert.equal((await describe(bob.visitor, handle)).status, 404)
    for (const decision of ['approve', 'deny', 'switch']) {
      assert.equal((await answer(bob.visitor, handle, decision)).status, 404)
    }
    assert.equal((await answer(ann.visitor, handle, 'approve')).status, 200)
  })

  for (const column of ['user_id', 'provider', 'session_hash']) {
    test(`a handle that is kept for another ${column} is unknown`, async ({ assert }) => {
      const { visitor } = await signedIn()
      const handle = await openPending(visitor, await registerClient())
      await db.from('oauth_pending_authorizations').update({ [column]: 'another' })
      assert.equal((await describe(visitor, handle)).body.error, 'unknown_authorization')
    })
  }

  test('the handle of another session of the same user is unknown', async ({ assert }) => {
    const { visitor, user } = await signedIn()
    const client = await registerClient()
    const handle = await openPending(visitor, client)
    const { visitor: other } = await signedIn(user)
    assert.equal((await describe(other, handle)).status, 404)
    assert.equal((await answer(other, handle, 'approve')).status, 404)
    assert.equal((await describe(visitor, handle)).status, 200)
  })

  test('who is not signed in learns nothing of a handle', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const handle = await openPending(visitor, client)
    const stranger = new Visitor()
    assert.equal((await describe(stranger, handle)).status, 401)
    assert.equal(
      (await read(await stranger.post(pathOf(handle, 'approve'), { json: {} }))).status,
      401
    )
    assert.equal((await describe(visitor, handle)).status, 200)
  })

  test('unknown and malformed handles are unknown', async ({ assert }) => {
    const { visitor } = await signedIn()
    for (const handle of ['x', 'x'.repeat(2000), '%00', '..%2f', "'"]) {
      const { status, body } = await describe(visitor, handle)
      assert.equal(status, 404)
      assert.equal(body.error, 'unknown_authorization')
    }
    const page = await visitor.post(pathOf('x', 'approve'), {
      form: { a: 'b' },
      headers: { ...HTML, 'x-xsrf-token': visitor.csrfToken },
    })
    assert.equal(page.status, 404)
    assert.include(await page.text(), 'This request has ended')
  })

  test('a handle is unknown after 15 minutes, and is purged', async ({ assert }) => {
    const advance = stopClock()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const handle = await openPending(visitor, client)
    advance(899)
    assert.equal((await describe(visitor, handle)).status, 200)
    advance(1)
    assert.equal((await describe(visitor, handle)).status, 404)
    assert.equal((await answer(visitor, handle, 'approve')).status, 404)
    const server = await authorizationServer()
    assert.equal(await server.purge(), 1)
    assert.lengthOf(await db.from('oauth_pending_authorizations'), 0)
  })

  test('only the hash of a handle is stored', async ({ assert }) => {
    const { visitor } = await signedIn()
    const handle = await openPending(visitor, await registerClient())
    const rows = await db.from('oauth_pending_authorizations')
    assert.notInclude(JSON.stringify(rows), handle)
  })

  test('scopes that were not requested are refused, and the request goes on waiting', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const handle = await openPending(visitor, client, { scope: 'posts:read' })
    for (const [scopes, error] of [
      [['posts:read', 'posts:write'], 'invalid_scope'],
      [['*'], 'invalid_scope'],
      [[], 'invalid_scope'],
      ['posts:read', 'invalid_request'],
      [[1], 'invalid_request'],
      [{ 0: 'posts:read' }, 'invalid_request'],
    ] as const) {
      const { status, body } = await answer(visitor, handle, 'approve', { scopes })
      assert.equal(status, 400)
      assert.equal(body.error, error)
    }
    const html = await (await open(visitor, client, { scope: 'posts:read' })).text()
    const widened = await decide(visitor, html, 'approve', ['posts:read', 'posts:write'])
    assert.equal(widened.status, 400)
    assert.lengthOf(await db.from('oauth_auth_codes'), 0)
    assert.equal((await answer(visitor, handle, 'approve')).status, 200)
  })

  test('a form with nothing ticked is the page again, with a message', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const html = await (await open(visitor, client)).text()
    const page = await decide(visitor, html, 'approve', [])
    assert.equal(page.status, 400)
    const again = await page.text()
    assert.include(again, 'Tick what you allow, or deny the request.')
    assert.equal(consentForm(again).handle, consentForm(html).handle)
    assert.include(page.headers.get('content-security-policy')!, 'https://client.example.com')
    assert.notMatch(again, /name="scopes\[\]"[^>]*checked/)
    const allowed = await decide(visitor, again, 'approve', ['posts:read'])
    assert.include(allowed.headers.get('location')!, 'code=')
  })

  test('a request without scopes is allowed without any', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const html = await (await open(visitor, client, { scope: undefined })).text()
    const allowed = await decide(visitor, html, 'approve')
    assert.include(allowed.headers.get('location')!, 'code=')
  })

  test('what else the form sends changes nothing: client, redirect URI and state are kept', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const [client, evil] = [await registerClient(), await registerClient()]
    const html = await (await open(visitor, client)).text()
    const body = new URLSearchParams({
      ...consentForm(html).hidden,
      'scopes[]': 'posts:read',
      'client_id': evil.id,
      'redirect_uri': 'https://evil.example.com',
      'state': 'evil',
      'scope': 'mcp:use',
      'approved': 'true',
    })
    const allowed = await visitor.post(`${consentForm(html).address}/approve`, {
      body: body.toString(),
      headers: { ...HTML, 'content-type': 'application/x-www-form-urlencoded' },
    })
    const location = new URL(allowed.headers.get('location')!)
    assert.equal(location.host, 'client.example.com')
    assert.equal(location.searchParams.get('state'), 'a state')
    const [code] = await db.from('oauth_auth_codes')
    assert.equal(code.client_id, client.id)
    assert.equal(code.scopes, '["posts:read"]')
  })

  test('a context that is no JSON object, or too long, is refused', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    const handle = await openPending(visitor, client)
    for (const context of ['a', 1, true, [1], { long: 'x'.repeat(4086) }]) {
      const { status, body } = await answer(visitor, handle, 'approve', { context })
      assert.equal(status, 400)
      assert.equal(body.error, 'invalid_request')
    }
    const context = { long: 'x'.repeat(4085) }
    assert.equal((await answer(visitor, handle, 'approve', { context })).status, 200)
  })

  test('the rules are judged again at the decision', async ({ assert }) => {
    const { visitor, user } = await signedIn()
    const client = await registerClient()
    const revoked = await openPending(visitor, client)
    await (await authorizationServer()).clients.revoke(client.id)
    assert.equal((await answer(visitor, revoked, 'approve')).body.error, 'invalid_client')

    const other = await registerClient()
    const removed = await openPending(visitor, other)
    await db.from('oauth_clients').where('id', other.id).update({ redirect_uris: '[]' })
    assert.equal((await answer(visitor, removed, 'approve')).body.error, 'invalid_request')

    const third = await registerClient()
    const inactive = await openPending(visitor, third)
    user.isActive = false
    await user.save()
    assert.equal((await answer(visitor, inactive, 'approve')).status, 401)
    assert.lengthOf(await db.from('oauth_auth_codes'), 0)
  })

  test('a decision of a session without the CSRF token is refused', async ({ assert }) => {
    const { visitor } = await signedIn()
    const handle = await openPending(visitor, await registerClient())
    for (const decision of ['approve', 'deny', 'switch']) {
      const { status, body } = await read(
        await visitor.post(pathOf(handle, decision), { json: {} })
      )
      assert.equal(status, 403)
      assert.equal(body.error, 'csrf_token_mismatch')
    }
    assert.equal((await describe(visitor, handle)).status, 200)
  })

  test('another account: sign out, sign in as somebody else, and decide the same request', async ({
    assert,
  }) => {
    const [ann, bob] = [await signedIn(), await signedIn()]
    const { visitor } = ann
    const client = await registerClient()
    const html = await (await open(visitor, client)).text()
    assert.include(html, ann.user.email)
    const left = await decide(visitor, html, 'switch')
    assert.equal(left.status, 303)
    const location = left.headers.get('location')!
    const login = await visitor.get(location, { headers: HTML })
    assert.equal(login.headers.get('location'), '/login')

    await visitor.get('/login', { headers: HTML })
    const signed = await visitor.post('/login', {
      form: { email: bob.user.email, password: FACTORY_PASSWORD },
      headers: HTML,
      csrf: true,
    })
    assert.equal(signed.headers.get('location'), location)
    const page = await (await visitor.get(location, { headers: HTML })).text()
    assert.include(page, bob.user.email)
    const allowed = await decide(visitor, page, 'approve')
    assert.include(allowed.headers.get('location')!, 'code=')
    const [grant] = await db.from('oauth_grants')
    assert.equal(grant.user_id, String(bob.user.id))
  })

  test('a consent page of your own gets the handle', async ({ assert }) => {
    const { visitor } = await signedIn()
    const client = await registerClient()
    for (const consentPage of ['/consent', 'https://spa.example.com/consent?a=b']) {
      await useConfig({ consentPage })
      const response = await open(visitor, client, { prompt: 'consent' })
      assert.equal(response.status, 303)
      const location = response.headers.get('location')!
      assert.isTrue(location.startsWith(consentPage))
      const handle = new URL(location, 'http://x').searchParams.get('handle')!
      assert.equal((await answer(visitor, handle, 'approve')).status, 200)
    }
  })
})
