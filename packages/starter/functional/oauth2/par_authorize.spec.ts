import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { HTML, decide } from '#starter/helpers/consent'
import {
  type TestClient,
  REDIRECT_URI,
  createPkce,
  isolate,
  postToken,
  read,
  redemption,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { openPushed, pushed, referringPath, usePushedRequests } from '#starter/helpers/par'
import { stopClock, travel } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const describe = async (visitor: Visitor, client: TestClient, requestUri: string) =>
  read(await visitor.get(referringPath(client, requestUri)))

test.group('A pushed request at /oauth/authorize', (group) => {
  group.each.setup(isolate)

  test('§4: a person approves what was pushed, whatever else the browser sends', async ({
    assert,
  }) => {
    await usePushedRequests()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const { verifier, challenge } = createPkce()
    const requestUri = await pushed(client, { code_challenge: challenge, scope: 'posts:read' })
    const more = '&scope=posts:write&state=other&redirect_uri=https://evil.example.com/'
    const page = await openPushed(visitor, client, requestUri, more)
    const answer = await decide(visitor, await page.text(), 'approve')
    const location = new URL(answer.headers.get('location')!)
    assert.isTrue(location.href.startsWith(REDIRECT_URI))
    assert.equal(location.searchParams.get('state'), 'a state')
    const code = location.searchParams.get('code')!
    const { body } = await postToken(redemption(client, { code, verifier }))
    assert.equal(body.scope, 'posts:read')
  })

  test('§7.3: a reference is good for one answer', async ({ assert }) => {
    await usePushedRequests()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const requestUri = await pushed(client)
    assert.equal((await openPushed(visitor, client, requestUri)).status, 200)
    const again = await openPushed(visitor, client, requestUri)
    assert.equal(again.status, 400)
    assert.include(await again.text(), 'This request has ended')
    assert.equal((await describe(visitor, client, requestUri)).body.error, 'invalid_request_uri')
  })

  test('§7.3: of 20 browsers at once one is answered', async ({ assert }) => {
    await usePushedRequests()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const requestUri = await pushed(client)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => openPushed(visitor, client, requestUri))
    )
    assert.lengthOf(
      answers.filter(({ status }) => status === 200),
      1
    )
  })

  test('§4, §7.5: the reference of another client leads nowhere, and stays good', async ({
    assert,
  }) => {
    await usePushedRequests()
    const { visitor } = await signedIn()
    const [client, other] = [await registerClient(), await registerClient()]
    const requestUri = await pushed(client)
    assert.equal((await describe(visitor, other, requestUri)).body.error, 'invalid_request_uri')
    assert.equal((await openPushed(visitor, other, requestUri)).status, 400)
    assert.equal((await openPushed(visitor, client, requestUri)).status, 200)
  })

  test('§7.1: a reference cannot be guessed, and an address of somewhere else is none', async ({
    assert,
  }) => {
    await usePushedRequests()
    const { visitor } = await signedIn()
    const client = await registerClient()
    for (const guess of ['urn:ietf:params:oauth:request_uri:x', 'https://evil.example.com/r']) {
      assert.equal((await describe(visitor, client, guess)).body.error, 'invalid_request_uri')
    }
  })

  test('a reference expires after 60 seconds', async ({ assert }) => {
    const tick = stopClock()
    await usePushedRequests()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const requestUri = await pushed(client)
    tick(60)
    assert.equal((await describe(visitor, client, requestUri)).body.error, 'invalid_request_uri')
  })

  test('who came in time has 15 minutes to sign in, and comes back to the request', async ({
    assert,
  }) => {
    await usePushedRequests()
    const user = await UserFactory.create()
    const client = await registerClient()
    const path = referringPath(client, await pushed(client))
    const visitor = new Visitor()
    assert.equal((await visitor.get(path, { headers: HTML })).headers.get('location'), '/login')
    await visitor.get('/login', { headers: HTML })
    const back = await visitor.post('/login', {
      form: { email: user.email, password: FACTORY_PASSWORD },
      headers: HTML,
      csrf: true,
    })
    travel(600)
    const page = await visitor.get(back.headers.get('location')!, { headers: HTML })
    assert.include(await page.text(), 'Allow')
  })

  test('no visit makes it last longer than 15 minutes from the push', async ({ assert }) => {
    const tick = stopClock()
    await usePushedRequests()
    const client = await registerClient()
    const path = referringPath(client, await pushed(client))
    const visit = () => new Visitor().get(path, { headers: HTML })
    tick(59)
    assert.equal((await visit()).headers.get('location'), '/login')
    tick(800)
    assert.equal((await visit()).headers.get('location'), '/login')
    tick(41)
    assert.notEqual((await visit()).headers.get('location'), '/login')
  })

  test('a new reference for the same request ends when the first one would have', async ({
    assert,
  }) => {
    const tick = stopClock()
    await usePushedRequests()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const path = referringPath(client, await pushed(client, { prompt: 'login' }))
    tick(30)
    const sentOn = await new Visitor().get(path, { headers: HTML })
    const location = sentOn.headers.get('location')!
    await new Visitor().get(location, { headers: HTML })
    const rows = await db.from('oauth_pushed_requests').select('created_at', 'expires_at')
    assert.lengthOf(rows, 1)
    for (const { created_at: createdAt, expires_at: expiresAt } of rows) {
      assert.equal(Number(createdAt), Date.now() - 30_000)
      assert.equal(Number(expiresAt), Number(createdAt) + 900_000)
    }
    tick(870)
    const late = await visitor.get(location, { headers: HTML })
    assert.equal(late.status, 400)
  })

  test('§7.3: a reference that prompt=login replaces by another is used up', async ({ assert }) => {
    await usePushedRequests()
    const client = await registerClient()
    const path = referringPath(client, await pushed(client, { prompt: 'login' }))
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => new Visitor().get(path, { headers: HTML }))
    )
    const locations = answers.map(({ headers }) => headers.get('location')).filter(Boolean)
    assert.lengthOf(locations, 1)
    const [refused] = answers.filter(({ status }) => status === 400)
    assert.include(await refused!.text(), 'This request has ended')
    const sentOn = await new Visitor().get(locations[0]!, { headers: HTML })
    assert.equal(sentOn.headers.get('location'), '/login')
  })

  test('whoever signs in as somebody else comes back to the request under a new reference', async ({
    assert,
  }) => {
    await usePushedRequests({ required: true })
    const { visitor, user } = await signedIn()
    const client = await registerClient()
    const page = await openPushed(visitor, client, await pushed(client, { prompt: 'login' }))
    const answer = await decide(visitor, await page.text(), 'switch')
    const location = answer.headers.get('location')!
    assert.match(location, /request_uri=urn/)
    assert.notInclude(location, 'scope')
    await visitor.get(location, { headers: HTML })
    await visitor.get('/login', { headers: HTML })
    await visitor.post('/login', {
      form: { email: user.email, password: FACTORY_PASSWORD },
      headers: HTML,
      csrf: true,
    })
    const again = await visitor.get(location, { headers: HTML })
    const done = await decide(visitor, await again.text(), 'approve')
    assert.match(done.headers.get('location')!, /code=/)
  })

  test('§7.4: what the client may not do any more is refused, although it was pushed before', async ({
    assert,
  }) => {
    await usePushedRequests()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const requestUri = await pushed(client)
    const changes = { redirectUris: ['https://client.example.com/moved'] }
    const server = await useConfig({ pushedRequests: { enabled: true } })
    await server.clients.repository.update(client.id, changes)
    assert.equal((await describe(visitor, client, requestUri)).body.error, 'invalid_request')
  })

  test('an application’s own consent page reads it as often as it likes, and decides once', async ({
    assert,
  }) => {
    await usePushedRequests()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const requestUri = await pushed(client)
    for (let look = 0; look < 2; look++) {
      assert.equal(
        (await describe(visitor, client, requestUri)).body.scope,
        'posts:read posts:write'
      )
    }
    const json = { client_id: client.id, request_uri: requestUri, approved: true }
    const decideByJson = async () => read(await visitor.send('/oauth/authorize', json))
    const first = await decideByJson()
    assert.equal(first.body.state, 'a state')
    assert.property(first.body, 'code')
    assert.equal((await decideByJson()).body.error, 'invalid_request_uri')
  })

  test('a denial by JSON is its decision, too', async ({ assert }) => {
    await usePushedRequests()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const requestUri = await pushed(client)
    const decideByJson = async (approved: unknown) => {
      const json = { client_id: client.id, request_uri: requestUri, approved }
      const { body } = await read(await visitor.send('/oauth/authorize', json))
      return body.error
    }
    assert.equal(await decideByJson('yes'), 'access_denied')
    assert.equal(await decideByJson(false), 'access_denied')
    assert.equal(await decideByJson(true), 'invalid_request_uri')
  })
})
