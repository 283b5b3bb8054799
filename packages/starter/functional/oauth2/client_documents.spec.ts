import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { AuthorizationServer } from '#kit/oauth2/authorization_server'
import { DocumentFetcher } from '#kit/http/document_fetcher'
import type { OAuth2Config } from '#kit/oauth2/define_config'
import { DocumentServer, useTestFetcher } from '#starter/helpers/document_server'
import {
  authorizationFields,
  createPkce,
  encodeForm,
  isolate,
  post,
  postToken,
  read,
  registerClient,
  type TestClient,
  credentials,
  useConfig,
} from '#starter/helpers/oauth'
import { limit } from '#starter/helpers/limits'
import { useOpenId } from '#starter/helpers/openid'
import { stopClock } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const HTML = { accept: 'text/html' }
const CALLBACK = 'http://localhost:7777/callback'
const MINUTE = 60
const DAY = 86_400

const clientOf = (id: string) => ({ id, secret: null }) as TestClient

/** The session of a person does not last as long as these tests. */
const anybody = async () => (await signedIn()).visitor

/** Asks what there is to approve, as a program does. */
async function ask(visitor: Visitor, id: string, more: Record<string, unknown> = {}) {
  const fields = authorizationFields(clientOf(id), { redirect_uri: CALLBACK, ...more })
  return read(await visitor.get(`/oauth/authorize?${encodeForm(fields as any)}`))
}

/** Approves a client and returns the answer to its token request. */
async function connect(visitor: Visitor, id: string) {
  const { verifier, challenge } = createPkce()
  const fields = { redirect_uri: CALLBACK, code_challenge: challenge }
  const json = { ...authorizationFields(clientOf(id), fields), approved: true }
  const { body } = await read(await visitor.send('/oauth/authorize', json))
  return postToken({
    grant_type: 'authorization_code',
    client_id: id,
    redirect_uri: CALLBACK,
    code: body.code,
    code_verifier: verifier,
  })
}

/** A server without copies and failures, that finds the documents of the tests, and a person who is signed in. */
async function prepare(config: OAuth2Config = {}): Promise<Visitor> {
  useTestFetcher()
  await useConfig(config)
  return (await signedIn()).visitor
}

const refresh = (id: string, token: string) =>
  postToken({ grant_type: 'refresh_token', client_id: id, refresh_token: token })

test.group('Clients with a metadata document', (group) => {
  const site = new DocumentServer()
  group.setup(() => site.start())

  group.each.setup(isolate)

  const fetches = (path: string) => site.requests.filter(({ url }) => url === path).length

  test('connect with nothing but their URL, and every leg treats them alike', async ({
    assert,
  }) => {
    const visitor = await prepare()
    const id = site.serveClient('/whole')
    const { body } = await ask(visitor, id)
    assert.equal(body.client_id, id)
    assert.equal(body.client_name, 'Test agent')

    const { status, body: issued } = await connect(visitor, id)
    assert.equal(status, 200)
    assert.equal(issued.scope, 'posts:read posts:write')

    const renewed = await refresh(id, issued.refresh_token)
    assert.equal(renewed.status, 200)
    const token = renewed.body.access_token
    const observer = await registerClient()
    const seen = await post('/oauth/introspect', { token, ...credentials(observer) })
    assert.equal(seen.body.active, true)
    assert.equal(seen.body.client_id, id)

    const tokens = await read(await visitor.get('/oauth/tokens'))
    assert.equal(tokens.body[0].client_name, 'Test agent')
    await post('/oauth/revoke', { token, client_id: id })
    const gone = await post('/oauth/introspect', { token, ...credentials(observer) })
    assert.deepEqual(gone.body, { active: false })
    assert.equal(fetches('/whole'), 1)

    const row = await db.from('oauth_clients').where('id', id).firstOrFail()
    assert.equal(row.source, 'document')
    assert.isNull(row.secret_hash)
  })

  test('get the page of consent, with the name that they claim', async ({ assert }) => {
    const visitor = await prepare()
    const id = site.serveClient('/page', { client_name: 'Agent <b>Smith</b>' })
    const fields = authorizationFields(clientOf(id), { redirect_uri: CALLBACK })
    const page = await visitor.get(`/oauth/authorize?${encodeForm(fields)}`, { headers: HTML })
    assert.equal(page.status, 200)
    assert.include(await page.text(), 'Agent &lt;b&gt;Smith')
  })

  test('have to send a redirect URI of the document', async ({ assert }) => {
    const visitor = await prepare()
    const id = site.serveClient('/redirect')
    const allowed = await ask(visitor, id, { redirect_uri: 'https://agent.example.com/callback' })
    assert.equal(allowed.status, 200)
    const other = await ask(visitor, id, { redirect_uri: 'https://evil.example.com/callback' })
    assert.equal(other.body.error, 'invalid_request')
  })

  test('need a challenge, whatever the settings say', async ({ assert }) => {
    const visitor = await prepare({ requirePkce: false })
    const id = site.serveClient('/pkce')
    const { body } = await ask(visitor, id, {
      code_challenge: undefined,
      code_challenge_method: undefined,
    })
    assert.equal(body.error, 'invalid_request')
  })

  test('cannot use a secret, nor act for themselves', async ({ assert }) => {
    const visitor = await prepare()
    const id = site.serveClient('/secret')
    await ask(visitor, id)
    const grant = { grant_type: 'client_credentials', client_id: id }
    assert.equal((await postToken(grant)).body.error, 'unauthorized_client')
    const withSecret = await postToken({ ...grant, client_secret: 'guess' })
    assert.equal(withSecret.body.error, 'invalid_client')
  })

  test('that list no refresh_token get none', async ({ assert }) => {
    const visitor = await prepare()
    const id = site.serveClient('/short', { grant_types: ['authorization_code'] })
    const { body } = await connect(visitor, id)
    assert.isString(body.access_token)
    assert.notProperty(body, 'refresh_token')
  })

  const refused: Record<string, object> = {
    'another client_id': { client_id: 'https://evil.example.com/client' },
    'no client_id': { client_id: undefined },
    'no name': { client_name: undefined },
    'a name that nobody sees': { client_name: '\u200b' },
    'a name that is no text': { client_name: 1 },
    'no redirect URIs': { redirect_uris: undefined },
    'an empty list of redirect URIs': { redirect_uris: [] },
    'redirect URIs that are no list': { redirect_uris: 'https://agent.example.com/callback' },
    'a redirect URI over http': { redirect_uris: ['http://agent.example.com/callback'] },
    'a redirect URI with a scheme of browsers': { redirect_uris: ['javascript:alert(1)'] },
    'another response type alone': { response_types: ['token'] },
    'no grant that it could use': { grant_types: ['client_credentials'] },
    'a method with a secret': { token_endpoint_auth_method: 'client_secret_basic' },
    'a method with a key': { token_endpoint_auth_method: 'private_key_jwt' },
    'a secret': { client_secret: 'known to everybody' },
    'the end of a secret': { client_secret_expires_at: 0 },
    'a private key': { jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd' }] } },
  }
  test('are refused when the document has {$self}')
    .with(Object.keys(refused))
    .run(async ({ assert }, what) => {
      const visitor = await prepare()
      const id = site.serveClient('/refused', refused[what])
      const { status, body } = await ask(visitor, id)
      assert.equal(status, 401)
      assert.equal(body.error, 'invalid_client')
      assert.match(body.error_description, /^The metadata document of the client is not valid/)
      assert.lengthOf(await db.from('oauth_clients').where({ id }), 0)
    })

  test('are refused when the document spells their URL in another way: {title}')
    .with([
      { title: 'a host in capitals', from: 'clients.test', to: 'CLIENTS.TEST' },
      { title: 'an encoded letter', from: '/spelled', to: '/%73pelled' },
      { title: 'a dot in the path', from: '/spelled', to: '/./spelled' },
      { title: 'a query without anything', from: '/spelled', to: '/spelled?' },
    ])
    .run(async ({ assert }, { from, to }) => {
      const visitor = await prepare()
      const url = site.url('/spelled')
      const id = site.serveClient('/spelled', { client_id: url.replace(from, to) })
      const { status, body } = await ask(visitor, id)
      assert.equal(status, 401)
      assert.match(body.error_description, /The client_id must be the URL of the document/)
    })

  test('are refused when the document is no object', async ({ assert }) => {
    const visitor = await prepare()
    const { body } = await ask(visitor, site.serve('/list', '[]'))
    assert.equal(body.error, 'invalid_client')
  })

  test('a document that cannot be read is refused with one answer: {$self}')
    .with(['html', 'a redirect', 'status 404', '2 MB', 'a private address', 'no address'])
    .run(async ({ assert }, what) => {
      const visitor = await prepare()
      const document = JSON.stringify({ client_id: site.url('/bad') })
      const served: Record<string, () => unknown> = {
        'html': () => site.serve('/bad', '<html>', { 'content-type': 'text/html' }),
        'a redirect': () => site.serve('/bad', '', { location: site.serveClient('/x') }, 302),
        'status 404': () => site.serve('/bad', document, {}, 404),
        '2 MB': () => site.serve('/bad', Buffer.alloc(2_000_000, ' ')),
        'a private address': () => useTestFetcher({ resolve: async () => ['10.0.0.1'] }),
        'no address': () => useTestFetcher({ resolve: async () => [] }),
      }
      served[what]!()
      const { status, body } = await ask(visitor, site.url('/bad'))
      assert.equal(status, 401)
      assert.deepEqual(body, {
        error: 'invalid_client',
        error_description: 'The metadata document of the client cannot be fetched.',
      })
    })

  test('a person is told by a page when the document cannot be read, or is not valid', async ({
    assert,
  }) => {
    const visitor = await prepare()
    const pageOf = async (id: string) => {
      const fields = authorizationFields(clientOf(id), { redirect_uri: CALLBACK })
      const page = await visitor.get(`/oauth/authorize?${encodeForm(fields)}`, {
        headers: HTML,
      })
      assert.equal(page.status, 401)
      return page.text()
    }
    assert.include(await pageOf(site.url('/nothing')), 'cannot be checked now')
    assert.include(await pageOf(site.serve('/invalid', '{}')), 'cannot connect')
  })

  test('a client_id that is no such URL fetches nothing', async ({ assert }) => {
    const visitor = await prepare()
    site.serveClient('/odd')
    const before = site.requests.length
    for (const id of [
      `${site.url('/odd')}?x=1`,
      `${site.url('/odd')}#x`,
      site.url('/odd').replace('https', 'http'),
      site.url('/odd').replace('clients.test', 'CLIENTS.test'),
      `https://127.0.0.1:${site.port}/odd`,
      `https://2130706433:${site.port}/odd`,
      site.url(`/${'x'.repeat(255)}`),
    ]) {
      const { body } = await ask(visitor, id)
      assert.equal(body.error, 'invalid_client')
    }
    assert.lengthOf(site.requests, before)
  })

  test('the fetcher comes from the container', async ({ assert }) => {
    const visitor = await prepare()
    const id = 'https://agent.example.com/client'
    const content = { client_id: id, client_name: 'Swapped', redirect_uris: [CALLBACK] }
    app.container.swap(DocumentFetcher, () => {
      return { fetch: async () => ({ content, maxAge: 0 }) } as unknown as DocumentFetcher
    })
    const { body } = await ask(visitor, id)
    assert.equal(body.client_name, 'Swapped')
  })

  test('a revoked client is not fetched again, and stays revoked', async ({ assert }) => {
    const visitor = await prepare()
    const id = site.serveClient('/revoked')
    const { body } = await connect(visitor, id)
    const server = await app.container.make(AuthorizationServer)
    assert.isTrue(await server.clients.revoke(id))
    const advance = stopClock()
    advance(10 * DAY)
    await server.clients.purge(Date.now())
    assert.equal((await ask(await anybody(), id)).body.error, 'invalid_client')
    assert.equal((await refresh(id, body.refresh_token)).body.error, 'invalid_client')
    assert.equal(fetches('/revoked'), 1)
  })
})

test.group('Copies of metadata documents', (group) => {
  const site = new DocumentServer()
  group.setup(() => site.start())

  group.each.setup(isolate)

  const fetches = (path: string) => site.requests.filter(({ url }) => url === path).length

  test('serve as long as the headers say, between 5 minutes and a day: {says}')
    .with([
      { says: 'nothing', headers: {}, seconds: 5 * MINUTE },
      { says: 'no-store', headers: { 'cache-control': 'no-store' }, seconds: 5 * MINUTE },
      { says: '1 hour', headers: { 'cache-control': 'max-age=3600' }, seconds: 60 * MINUTE },
      { says: '1 year', headers: { 'cache-control': 'max-age=31536000' }, seconds: DAY },
    ])
    .run(async ({ assert }, { says, headers, seconds }) => {
      const visitor = await prepare()
      const advance = stopClock()
      const path = `/fresh-${says.replace(' ', '-')}`
      const id = site.serveClient(path, {}, headers as Record<string, string>)
      await ask(visitor, id)
      advance(seconds - 2)
      await ask(await anybody(), id)
      assert.equal(fetches(path), 1)

      site.serveClient(path, { client_name: 'Renamed' })
      advance(2)
      const { body } = await ask(await anybody(), id)
      assert.equal(fetches(path), 2)
      assert.equal(body.client_name, 'Renamed')
    })

  test('an expired one that cannot be renewed is refused at authorize, and serves everything else for a day', async ({
    assert,
  }) => {
    const visitor = await prepare()
    const advance = stopClock()
    const id = site.serveClient('/outage')
    let token = (await connect(visitor, id)).body
    site.serve('/outage', 'down', {}, 503)
    advance(5 * MINUTE)
    assert.equal((await ask(visitor, id)).body.error, 'invalid_client')

    advance(DAY - 10)
    token = (await refresh(id, token.refresh_token)).body
    const observer = await registerClient()
    const inspect = () =>
      post('/oauth/introspect', { token: token.refresh_token, ...credentials(observer) })
    assert.equal((await inspect()).body.active, true)
    const revoked = await post('/oauth/revoke', { token: token.access_token, client_id: id })
    assert.equal(revoked.status, 200)

    advance(10)
    const late = await refresh(id, token.refresh_token)
    assert.equal(late.status, 401)
    assert.equal(late.body.error, 'invalid_client')

    advance(10)
    site.serveClient('/outage')
    assert.equal((await ask(await anybody(), id)).status, 200)
  })

  test('the tokens of one that cannot be renewed for a day are inactive, whoever asks', async ({
    assert,
  }) => {
    const visitor = await prepare()
    const advance = stopClock()
    const id = site.serveClient('/gone')
    const { body: tokens } = await connect(visitor, id)
    site.serve('/gone', 'down', {}, 503)
    advance(2 * DAY)
    const token = tokens.refresh_token
    const { status, body } = await post('/oauth/introspect', {
      token,
      ...credentials(await registerClient()),
    })
    assert.equal(status, 200)
    assert.deepEqual(body, { active: false })
  })

  test('the sign-in page names the client as its copy does, and waits for no document', async ({
    assert,
  }) => {
    const visitor = await prepare()
    const advance = stopClock()
    const id = site.serveClient('/named')
    await connect(visitor, id)
    site.serve('/named', 'down', {}, 503)
    advance(2 * DAY)
    const fields = authorizationFields(clientOf(id), { redirect_uri: CALLBACK })
    const guest = new Visitor()
    const sentOn = await guest.get(`/oauth/authorize?${encodeForm(fields)}`, { headers: HTML })
    assert.equal(sentOn.headers.get('location'), '/login')
    const page = await guest.get('/login', { headers: HTML })
    assert.equal(page.status, 200)
    assert.include(await page.text(), site.host)
    assert.equal(fetches('/named'), 1)
  })

  test('a document that becomes invalid does not replace the last good copy', async ({
    assert,
  }) => {
    const visitor = await prepare()
    const advance = stopClock()
    const id = site.serveClient('/worse')
    const { body } = await connect(visitor, id)
    site.serveClient('/worse', { client_id: 'https://evil.example.com/client' })
    advance(5 * MINUTE)
    assert.equal((await refresh(id, body.refresh_token)).status, 200)
    assert.equal((await ask(visitor, id)).body.error, 'invalid_client')
  })

  test('requests that come together fetch a document once', async ({ assert }) => {
    const visitor = await prepare()
    const id = site.serveClient('/together')
    const answers = await Promise.all([1, 2, 3, 4].map(() => ask(visitor, id)))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200]
    )
    assert.equal(fetches('/together'), 1)
  })

  test('a failure is remembered for 5 seconds', async ({ assert }) => {
    const visitor = await prepare()
    const advance = stopClock()
    const id = site.serve('/fails', 'down', {}, 500)
    await ask(visitor, id)
    site.serveClient('/fails')
    advance(4)
    assert.equal((await ask(visitor, id)).body.error, 'invalid_client')
    assert.equal(fetches('/fails'), 1)
    advance(1)
    assert.equal((await ask(visitor, id)).status, 200)
  })

  test('there are so many fetches a minute for all together, and copies serve on', async ({
    assert,
  }) => {
    const visitor = await prepare({ clientDocuments: { fetchesPerMinute: 2 } })
    const advance = stopClock()
    const ids = ['/one', '/two', '/three'].map((path) => site.serveClient(path))
    await ask(visitor, ids[0]!)
    advance(20)
    await ask(visitor, ids[1]!)
    const { status, body, headers } = await ask(visitor, ids[2]!)
    assert.equal(status, 503)
    assert.equal(body.error, 'temporarily_unavailable')
    assert.equal(headers.get('retry-after'), '40')
    assert.equal((await ask(visitor, ids[0]!)).status, 200)
    advance(40)
    assert.equal((await ask(visitor, ids[2]!)).status, 200)
  })

  test('fetches count for the address that asks for them, copies do not', async ({ assert }) => {
    const visitor = await prepare()
    await limit({ clientDocuments: { perAddress: { attempts: 1, seconds: 60 } } })
    const [one, two] = [site.serveClient('/counted'), site.serveClient('/uncounted')]
    assert.equal((await ask(visitor, one)).status, 200)
    assert.equal((await ask(visitor, one)).status, 200)
    assert.equal((await ask(visitor, two)).body.error, 'throttled')
    assert.equal(fetches('/uncounted'), 0)
  })

  test('a token request of a client that was never here fetches nothing', async ({ assert }) => {
    await prepare()
    const id = site.serveClient('/unknown')
    const { body } = await refresh(id, 'guess')
    assert.equal(body.error, 'invalid_grant')
    const revoked = await post('/oauth/revoke', { token: 'guess', client_id: id })
    assert.equal(revoked.body.error, 'invalid_client')
    assert.equal(fetches('/unknown'), 0)
  })

  test('{$self} counts at every endpoint at once')
    .with(['the switch', 'the list of hosts'])
    .run(async ({ assert }, what) => {
      const visitor = await prepare()
      const id = site.serveClient('/judged')
      const { body: issued } = await connect(visitor, id)
      await useConfig({
        clientDocuments: what === 'the switch' ? { enabled: false } : { hosts: ['claude.ai'] },
      })
      assert.equal((await ask(visitor, id)).body.error, 'invalid_client')
      assert.equal((await refresh(id, issued.refresh_token)).body.error, 'invalid_client')
      const { access_token: token } = issued
      const revoked = await post('/oauth/revoke', { token, client_id: id })
      assert.equal(revoked.body.error, 'invalid_client')
      const observer = await registerClient()
      const seen = await post('/oauth/introspect', { token, ...credentials(observer) })
      assert.deepEqual(seen.body, { active: false })

      await useConfig({ clientDocuments: { hosts: [site.host] } })
      assert.equal((await refresh(id, issued.refresh_token)).status, 200)
    })

  test('the list of hosts also binds {$self}')
    .with(['jwks_uri', 'logo_uri', 'backchannel_logout_uri', 'post_logout_redirect_uris'])
    .run(async ({ assert }, member) => {
      useTestFetcher()
      await useOpenId({ clientAssertions: true, clientDocuments: { hosts: [site.host] } })
      const visitor = await anybody()
      const at = (host: string) => {
        const uri = `https://${host}/address`
        return {
          [member]: member.endsWith('s') ? [uri] : uri,
          ...(member === 'jwks_uri' && { token_endpoint_auth_method: 'private_key_jwt' }),
        }
      }
      const elsewhere = site.serveClient('/elsewhere', at('inside.example.com'))
      const refused = await ask(visitor, elsewhere)
      assert.equal(refused.body.error, 'invalid_client')
      const here = site.serveClient('/here', at(site.host))
      const fields = { redirect_uri: 'https://agent.example.com/callback' }
      assert.equal((await ask(visitor, here, fields)).body.client_id, here)
    })

  test('a copy from before the list leads nowhere else, either', async ({ assert }) => {
    useTestFetcher()
    await useOpenId()
    const visitor = await anybody()
    const backchannel = 'https://inside.example.com/logout'
    const id = site.serveClient('/copied', { backchannel_logout_uri: backchannel })
    const { body: issued } = await connect(visitor, id)
    await useOpenId({ clientDocuments: { hosts: [site.host, 'inside.example.com'] } })
    const { body: renewed } = await refresh(id, issued.refresh_token)
    assert.equal((await ask(visitor, id)).body.client_id, id)
    await useOpenId({ clientDocuments: { hosts: [site.host] } })
    const refused = await refresh(id, renewed.refresh_token)
    assert.deepEqual([refused.status, refused.body.error], [401, 'invalid_client'])
    assert.equal((await ask(visitor, id)).body.error, 'invalid_client')
  })
})
