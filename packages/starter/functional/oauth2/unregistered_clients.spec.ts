import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { FetchLimit } from '#kit/oauth2/clients/documents/fetches'
import type { OAuth2Config } from '#kit/oauth2/define_config'
import { DocumentServer, useTestFetcher } from '#starter/helpers/document_server'
import { decide, HTML } from '#starter/helpers/consent'
import {
  REDIRECT_URI,
  type TestClient,
  authorizationFields,
  authorizationServer,
  credentials,
  encodeForm,
  isolate,
  obtainTokens,
  post,
  read,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { useOpenId } from '#starter/helpers/openid'
import { wrapForTest } from '#starter/helpers/replace'
import { stopClock } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

/** Registers a client as anybody can (RFC 7591). */
async function registerItself(metadata: object = {}): Promise<TestClient> {
  const json = {
    client_name: 'A stranger',
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'none',
    ...metadata,
  }
  const { body } = await read(await new Visitor().post('/oauth/register', { json }))
  return { id: body.client_id, secret: body.client_secret ?? null } as TestClient
}

function open(visitor: Visitor, client: TestClient, more: Record<string, unknown>) {
  const fields = authorizationFields(client, more)
  return visitor.get(`/oauth/authorize?${encodeForm(fields as any)}`, { headers: HTML })
}

const idOf = (id: string) => ({ id, secret: null }) as TestClient

const ERRORS: { error: string; more: Record<string, unknown>; isSignedIn?: boolean }[] = [
  { error: 'login_required', more: { prompt: 'none' } },
  { error: 'invalid_request', more: { prompt: 'none login' } },
  { error: 'request_not_supported', more: { request: 'x' } },
  { error: 'invalid_scope', more: { scope: 'nonsense' }, isSignedIn: true },
  { error: 'unsupported_response_type', more: { response_type: 'token' }, isSignedIn: true },
  { error: 'consent_required', more: { prompt: 'none' }, isSignedIn: true },
]

test.group('A client that registered itself', (group) => {
  group.each.setup(isolate)

  test('is unknown when it is deleted between its reading and its use', async ({ assert }) => {
    const { clients } = await useOpenId({ dynamicRegistration: true })
    const { id } = await registerItself()
    const advance = stopClock()
    advance(2 * 3600)
    const { repository } = clients
    wrapForTest(repository, 'keepUntil', (keepUntil) => async (...given) => {
      await db.from('oauth_clients').where({ id }).delete()
      return keepUntil(...given)
    })
    assert.isNull(await clients.findRegistered(id))
  })
})

test.group('A client that nobody here registered sends nobody on', (group) => {
  group.each.setup(isolate)

  test('{error} is a page with its address in words and a link')
    .with(ERRORS)
    .run(async ({ assert }, { error, more, isSignedIn }) => {
      await useOpenId({ dynamicRegistration: true })
      const { visitor } = await signedIn()
      const browser = isSignedIn ? visitor : new Visitor()
      const page = await open(browser, await registerItself(), more)
      assert.equal(page.status, 400)
      assert.isNull(page.headers.get('location'))
      assert.isNull(page.headers.get('refresh'))
      const html = await page.text()
      assert.include(html, `<strong>${new URL(REDIRECT_URI).host}</strong>`)
      assert.include(html, 'A stranger')
      const [, link] = /<a href="([^"]+)" rel="noreferrer"/.exec(html)!
      const { origin, searchParams } = new URL(link!.replaceAll('&amp;', '&'))
      assert.equal(origin, new URL(REDIRECT_URI).origin)
      assert.equal(searchParams.get('error'), error)

      const own = await open(browser, await registerClient(), more)
      assert.equal(own.status, 303)
      assert.include(own.headers.get('location')!, `error=${error}`)
    })

  test('a person who says yes or no is', async ({ assert }) => {
    await useConfig({ dynamicRegistration: true })
    const { visitor } = await signedIn()
    const client = await registerItself()
    for (const decision of ['deny', 'approve'] as const) {
      const page = await open(visitor, client, {})
      const answer = await decide(visitor, await page.text(), decision)
      assert.isTrue(answer.headers.get('location')!.startsWith(REDIRECT_URI), decision)
    }
  })

  test('a logout with its address ends in a page with a link', async ({ assert }) => {
    const goodbye = 'https://client.example.com/goodbye'
    await useOpenId({ dynamicRegistration: true })
    const client = await registerItself({ post_logout_redirect_uris: [goodbye] })
    const query = encodeForm({ client_id: client.id, post_logout_redirect_uri: goodbye })
    const page = await new Visitor().get(`/oauth/logout?${query}`, { headers: HTML })
    assert.equal(page.status, 200)
    assert.isNull(page.headers.get('location'))
    assert.include(await page.text(), `<a href="${goodbye}" rel="noreferrer"`)
  })
})

test.group('A metadata document is fetched for people alone', (group) => {
  const site = new DocumentServer()
  group.setup(() => site.start())
  group.each.setup(isolate)

  async function prepare(config: OAuth2Config = {}) {
    useTestFetcher()
    await useConfig(config)
    return site.requests.length
  }

  test('who is not signed in signs in first', async ({ assert }) => {
    const before = await prepare()
    const client = idOf(site.serveClient('/first'))
    const more = { redirect_uri: 'https://agent.example.com/callback' }
    const visitor = new Visitor()
    const asked = await open(visitor, client, more)
    assert.equal(asked.status, 302)
    assert.equal(new URL(asked.headers.get('location')!, 'http://x').pathname, '/login')
    assert.equal(site.requests.length, before)

    const user = await UserFactory.create()
    await visitor.login(user.email, FACTORY_PASSWORD)
    const consent = await open(visitor, client, more)
    assert.include(await consent.text(), 'Test agent')
    assert.equal(site.requests.length, before + 1)
  })

  test('with a copy that is fresh, or of a revoked client, a wrong request is refused before the sign-in', async ({
    assert,
  }) => {
    await prepare()
    const client = idOf(site.serveClient('/known'))
    const { visitor } = await signedIn()
    await open(visitor, client, { redirect_uri: 'https://agent.example.com/callback' })
    const before = site.requests.length
    const wrong = await open(new Visitor(), client, { redirect_uri: 'https://evil.example.com/' })
    assert.equal(wrong.status, 400)
    const advance = stopClock()
    advance(86_400)
    await (await authorizationServer()).clients.revoke(client.id)
    assert.equal((await open(new Visitor(), client, {})).status, 401)
    assert.equal(site.requests.length, before)
  })

  test('a client that wants nobody to be asked hears nothing before', async ({ assert }) => {
    const before = await prepare()
    const more = { redirect_uri: 'https://agent.example.com/callback', prompt: 'none' }
    const page = await open(new Visitor(), idOf(site.serveClient('/silent')), more)
    assert.equal(page.status, 400)
    assert.isNull(page.headers.get('location'))
    assert.equal(site.requests.length, before)
  })

  test('seventy requests of nobody leave the fetches of the minute to people', async ({
    assert,
  }) => {
    const before = await prepare({ clientDocuments: { fetchesPerMinute: 60 } })
    for (let count = 0; count < 70; count++) {
      await open(new Visitor(), idOf(site.serveClient(`/flood/${count}`)), {})
    }
    assert.equal(site.requests.length, before)
  })
})

test.group('Fetches of a minute', () => {
  test('one address leaves a quarter of them to the others, and nobody’s requests do', ({
    assert,
  }) => {
    const limit = new FetchLimit(8)
    const now = 1_000_000
    const taken = (address: string | null) => limit.take(address, now) === 0
    assert.deepEqual(
      Array.from({ length: 8 }, () => taken('203.0.113.1')).filter(Boolean).length,
      6
    )
    assert.isFalse(taken(null))
    assert.isTrue(taken('203.0.113.2'))
    assert.isFalse(taken('203.0.113.2'))
    assert.isTrue(taken('203.0.113.3'))
    assert.isFalse(taken('203.0.113.4'))
    assert.equal(limit.take('203.0.113.4', now), 60)
    const next = Array.from({ length: 8 }, () => limit.take('203.0.113.4', now + 60_000))
    assert.deepEqual(next, [0, 0, 0, 0, 0, 0, 60, 60])
  })
})

test.group('Introspection by a client that nobody here registered', (group) => {
  group.each.setup(isolate)

  test('sees its own tokens alone', async ({ assert }) => {
    await useConfig({ dynamicRegistration: true })
    const { visitor } = await signedIn()
    const stranger = await registerItself({ token_endpoint_auth_method: 'client_secret_post' })
    const others = await obtainTokens(visitor, await registerClient())
    const own = await obtainTokens(visitor, stranger)
    const isActive = async (token: string) =>
      (await post('/oauth/introspect', { token, ...credentials(stranger) })).body.active
    for (const kind of ['access_token', 'refresh_token'] as const) {
      assert.isFalse(await isActive(others[kind]!), `of another client: ${kind}`)
      assert.isTrue(await isActive(own[kind]!), `its own: ${kind}`)
    }
  })
})
