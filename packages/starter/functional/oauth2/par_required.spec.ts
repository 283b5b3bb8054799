import { test } from '@japa/runner'

import { decide, open } from '#starter/helpers/consent'
import { DocumentServer, useTestFetcher } from '#starter/helpers/document_server'
import {
  type TestClient,
  REDIRECT_URI,
  authorize,
  isolate,
  obtainCode,
  registerClient,
} from '#starter/helpers/oauth'
import { openPushed, pushed, usePushedRequests } from '#starter/helpers/par'
import { signedIn } from '#starter/helpers/visitor'

test.group('Clients that nobody registered', (group) => {
  const site = new DocumentServer()
  group.setup(() => site.start())
  group.each.setup(isolate)

  test('push as their first request: their document is fetched then', async ({ assert }) => {
    useTestFetcher()
    await usePushedRequests()
    const { visitor } = await signedIn()
    const id = site.serveClient('/pushing')
    const client = { id, secret: null } as TestClient
    const fields = { redirect_uri: 'http://localhost:7777/callback' }
    const page = await openPushed(visitor, client, await pushed(client, fields))
    assert.include(await page.text(), site.host)
  })

  test('§6: have to push when their document says so, as long as requests can be pushed', async ({
    assert,
  }) => {
    useTestFetcher()
    const { visitor } = await signedIn()
    const id = site.serveClient('/strict', { require_pushed_authorization_requests: true })
    const client = { id, secret: null } as TestClient
    const fields = { redirect_uri: 'http://localhost:7777/callback' }
    assert.equal((await authorize(visitor, client, fields)).status, 200)

    await usePushedRequests()
    const idOfStrict = site.serveClient('/strict-2', {
      require_pushed_authorization_requests: true,
    })
    const strict = { id: idOfStrict, secret: null } as TestClient
    assert.equal((await authorize(visitor, strict, fields)).body.error, 'invalid_request')
    const page = await openPushed(visitor, strict, await pushed(strict, fields))
    assert.equal(page.status, 200)
  })

  test('§6: have to push when they registered themselves so', async ({ assert }) => {
    await usePushedRequests({}, { dynamicRegistration: true })
    const { visitor } = await signedIn()
    const register = (more: object) =>
      visitor.post('/oauth/register', { json: { redirect_uris: [REDIRECT_URI], ...more } })
    const answer = await register({ require_pushed_authorization_requests: true })
    const { client_id: id, client_secret: secret, ...told } = (await answer.json()) as any
    assert.isTrue(told.require_pushed_authorization_requests)
    const strict = { id, secret } as TestClient
    assert.equal((await authorize(visitor, strict)).body.error, 'invalid_request')
    assert.equal((await openPushed(visitor, strict, await pushed(strict))).status, 200)

    const malformed = await register({ require_pushed_authorization_requests: 'yes' })
    assert.equal(malformed.status, 400)
    assert.equal(((await malformed.json()) as any).error, 'invalid_client_metadata')
  })
})

test.group('Clients that have to push', (group) => {
  group.each.setup(isolate)

  test('§5: every client, when it is required of all', async ({ assert }) => {
    await usePushedRequests({ required: true })
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { body } = await authorize(visitor, client)
    assert.equal(body.error, 'invalid_request')
    const answer = await open(visitor, client)
    const location = new URL(answer.headers.get('location')!)
    assert.equal(location.searchParams.get('error'), 'invalid_request')
    const requestUri = await pushed(client)
    const page = await openPushed(visitor, client, requestUri)
    assert.equal((await decide(visitor, await page.text(), 'approve')).status, 303)
  })

  test('§6: one that was registered so, and no other', async ({ assert }) => {
    const server = await usePushedRequests()
    const { visitor } = await signedIn()
    const [client, secret] = await server.clients.register(
      'Strict',
      [REDIRECT_URI],
      true,
      [],
      [],
      null,
      { requirePushed: true }
    )
    const strict = { client, id: client.id, secret }
    assert.equal((await authorize(visitor, strict)).body.error, 'invalid_request')
    assert.equal((await openPushed(visitor, strict, await pushed(strict))).status, 200)
    await obtainCode(visitor, await registerClient())
  })

  test('§6: nobody is registered so while requests cannot be pushed, and could make none', async ({
    assert,
  }) => {
    const { clients } = await usePushedRequests({ enabled: false })
    const register = () =>
      clients.register('Strict', [REDIRECT_URI], true, [], [], null, { requirePushed: true })
    await assert.rejects(register, /Requests cannot be pushed: set OAUTH_PAR=true/)
  })
})
