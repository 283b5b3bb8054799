import { once } from 'node:events'
import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'

import type { HttpContext } from '@adonisjs/core/http'
import server from '@adonisjs/core/services/server'
import emitter from '@adonisjs/core/services/emitter'
import app from '@adonisjs/core/services/app'
import encryption from '@adonisjs/core/services/encryption'
import { test } from '@japa/runner'
import edge from 'edge.js'

import { hashSecret } from '#kit/security/secrets'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import SessionModel from '#kit/session/models/session'
import { RequestSession } from '#kit/session/request_session'
import { defineConfig } from '#kit/session/define_config'
import { SessionService } from '#kit/session/session_service'
import '#starter/helpers/fixtures/session_routes'
import { afterReplies } from '#starter/helpers/passwords'
import { replaceForTest } from '#starter/helpers/replace'
import {
  lookupStatements,
  recordStatements,
  withoutTransactions,
} from '#starter/helpers/statements'
import { stopClock, travel } from '#starter/helpers/time'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor, signedIn } from '#starter/helpers/visitor'

async function service(): Promise<SessionService> {
  return app.container.make(SessionService)
}

/** The contexts of all requests, and how many renderers they made, until it is stopped. */
function observe() {
  const contexts: HttpContext[] = []
  const renderers = { made: 0 }
  const { createRenderer } = edge
  edge.createRenderer = () => {
    renderers.made++
    return createRenderer.call(edge)
  }
  const unsubscribe = emitter.on('http:request_completed', ({ ctx }) => {
    contexts.push(ctx)
  })
  const stop = () => {
    unsubscribe()
    edge.createRenderer = createRenderer
  }
  return { contexts, renderers, stop }
}

async function currentId(visitor: Visitor) {
  const response = await visitor.get('/_test/session/id')
  const { id } = (await response.json()) as { id: string | null }
  return id
}

test.group('Session | lazy', (group) => {
  group.each.setup(async () => {
    await SessionModel.query().delete()
  })

  test('a request that touches no session sets no cookie and writes no row', async ({ assert }) => {
    const visitor = new Visitor()
    const response = await visitor.get('/_test/session/untouched')
    assert.equal(response.status, 200)
    assert.lengthOf(response.setCookies, 0)
    assert.lengthOf(await SessionModel.all(), 0)
  })

  test('without a session cookie no statement is run', async ({ assert }) => {
    const visitor = new Visitor()
    const statements = await recordStatements(() => visitor.get('/_test/session/whoami'))
    assert.lengthOf(statements, 0)
  })

  test('a live session that nothing changes costs one read, sets no cookie and writes no row', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    /* The first request of a process asks PostgreSQL for the type of the users' key. */
    await visitor.get('/api/me')
    const before = await SessionModel.firstOrFail()
    travel(30)
    const statements = await recordStatements(async () => {
      const response = await visitor.get('/api/me')
      assert.equal(response.status, 200)
      assert.lengthOf(response.setCookies, 0)
    })
    assert.lengthOf(statements, lookupStatements())
    const after = await SessionModel.firstOrFail()
    assert.deepEqual(after.$attributes, before.$attributes)
  })

  test('a bearer request makes no session and no view, whichever guards are asked', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    await afterReplies()
    const { contexts, renderers, stop } = observe()
    const jwt = await client.get('/api/me').withOAuthToken(user)
    const opaque = await client.get('/api/me').withApiToken(user)
    const stranger = await client.get('/api/me')
    const untouched = await client.get('/_test/session/untouched')
    stop()
    const statuses = [jwt, opaque, stranger, untouched].map((response) => response.status())
    assert.deepEqual(statuses, [200, 200, 401, 200])
    assert.lengthOf(contexts, 4)
    contexts.forEach((ctx) => assert.isNull(RequestSession.existing(ctx)))
    assert.equal(renderers.made, 0)
  })

  test('a live session makes no view where none is rendered', async ({ assert }) => {
    const { visitor } = await signedIn()
    await afterReplies()
    const { contexts, renderers, stop } = observe()
    await visitor.get('/api/me')
    const before = renderers.made
    await visitor.get('/account', { headers: { accept: 'text/html' } })
    stop()
    assert.isNotNull(RequestSession.existing(contexts[0]!))
    assert.deepEqual([before, renderers.made], [0, 1])
  })

  test('ctx.session is there for whoever asks, and reads nothing without a cookie', async ({
    assert,
  }) => {
    const statements = await recordStatements(async () => {
      const response = await new Visitor().get('/_test/session/data')
      assert.deepEqual(await response.json(), {})
    })
    assert.lengthOf(statements, 0)
  })

  test('a guest gets a row and both cookies when something is remembered', async ({ assert }) => {
    const visitor = new Visitor()
    await visitor.post('/_test/session/data', { json: { cart: [1, 2] } })
    assert.sameMembers([...visitor.cookies.keys()], ['service_session', 'XSRF-TOKEN'])
    const [row] = await SessionModel.all()
    assert.isNull(row!.userId)
    const response = await visitor.get('/_test/session/data')
    assert.deepEqual(await response.json(), { cart: [1, 2] })
  })

  test('flash messages live for one request', async ({ assert }) => {
    const visitor = new Visitor()
    await visitor.post('/_test/session/flash')
    const first = await visitor.get('/_test/session/flash')
    assert.deepEqual(await first.json(), { note: 'hello' })
    const second = await visitor.get('/_test/session/flash')
    assert.deepEqual(await second.json(), { note: null })
  })

  test('a stale cookie is treated as none, and both cookies are deleted', async ({ assert }) => {
    const { visitor } = await signedIn()
    await SessionModel.query().delete()
    const response = await visitor.get('/_test/session/whoami')
    assert.deepEqual(await response.json(), { id: null, check: false })
    assert.lengthOf(response.setCookies, 2)
    assert.deepEqual(visitor.sessionCookies, [])
  })

  test('a forged or malformed cookie is treated as none and deleted', async ({ assert }) => {
    const { visitor } = await signedIn()
    const genuine = visitor.cookies.get('service_session')!
    const row = await SessionModel.firstOrFail()
    for (const forged of [
      genuine.slice(0, -2) + 'AA',
      'x',
      's%3Ax.y',
      '%00',
      'e%3Ax',
      encodeURIComponent('s:{"message":"x"}.y'),
      row.id,
    ]) {
      const thief = new Visitor()
      thief.cookies.set('service_session', forged)
      const response = await thief.get('/_test/session/whoami')
      assert.equal(response.status, 200)
      assert.deepEqual(await response.json(), { id: null, check: false })
      assert.isFalse(thief.cookies.has('service_session'))
    }
  })

  test('an id that the caller chose is never taken over', async ({ client, assert }) => {
    const response = await client
      .get('/_test/session/token')
      .cookie('service_session', 'chosen-by-the-attacker')
    response.assertStatus(200)
    assert.notEqual(response.cookie('service_session')!.value, 'chosen-by-the-attacker')

    /* Not even the id of a session that lives, unless this application has signed it for this cookie. */
    const { visitor } = await signedIn()
    const signed = decodeURIComponent(visitor.cookies.get('service_session')!)
    const payload = signed.slice('s:'.length, signed.lastIndexOf('.'))
    const id = JSON.parse(Buffer.from(payload, 'base64url').toString()).message
    const elsewhere = encryption.getMessageVerifier().sign(id, undefined, 'another_cookie')
    const whoami = async (cookie: string) => {
      const caller = new Visitor()
      caller.cookies.set('service_session', encodeURIComponent(cookie))
      return ((await (await caller.get('/_test/session/whoami')).json()) as { check: boolean })
        .check
    }
    assert.isTrue(await whoami(signed))
    for (const forged of [
      id,
      Buffer.from(JSON.stringify({ message: id })).toString('base64url'),
      payload,
      `s:${id}`,
      `s:${payload}`,
      `s:${payload}.`,
      `s:${payload}.x`,
      `${signed}x`,
      `s:${elsewhere}`,
    ]) {
      assert.isFalse(await whoami(forged), forged)
    }
  })
})

test.group('Session | states', (group) => {
  group.each.setup(async () => {
    await SessionModel.query().delete()
  })

  test('Session.token() starts a guest session and delivers the token in the CSRF cookie', async ({
    assert,
  }) => {
    const visitor = new Visitor()
    const response = await visitor.get('/_test/session/token')
    const { token } = (await response.json()) as { token: string }
    assert.equal(visitor.csrfToken, token)
    assert.match(token, /^[A-Za-z0-9]{43}$/)
    const again = await visitor.get('/_test/session/token')
    assert.deepEqual(await again.json(), { token })
    assert.lengthOf(again.setCookies, 0)
  })

  test('a guest session is started once, also when several parts of a page ask for the token at once', async ({
    assert,
  }) => {
    const visitor = new Visitor()
    const response = await visitor.get('/_test/session/tokens')
    assert.deepEqual(await response.json(), Array(3).fill(visitor.csrfToken))
    assert.lengthOf(await SessionModel.all(), 1)
  })

  test('Session.id() is null without a session', async ({ assert }) => {
    assert.isNull(await currentId(new Visitor()))
  })

  test('Auth.attempt() with valid credentials gives a guest session a new id and a new CSRF token', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const visitor = new Visitor()
    await visitor.post('/_test/session/data', { json: { cart: 'full' } })
    const [guestId, guestToken] = [await currentId(visitor), visitor.csrfToken]

    const response = await visitor.send('/_test/session/attempt', {
      email: user.email,
      password: FACTORY_PASSWORD,
    })
    assert.deepEqual(await response.json(), { result: true, check: true })

    assert.notEqual(await currentId(visitor), guestId)
    assert.notEqual(visitor.csrfToken, guestToken)
    const data = await visitor.get('/_test/session/data')
    assert.deepEqual(await data.json(), { cart: 'full' })
    const rows = await SessionModel.all()
    assert.lengthOf(rows, 1)
    assert.equal(rows[0]!.userId, String(user.id))
    assert.equal(rows[0]!.guard, 'web')
  })

  test('Auth.attempt() that fails answers false and changes nothing', async ({ assert }) => {
    const user = await UserFactory.create()
    const inactive = await UserFactory.merge({ isActive: false }).create()
    for (const credentials of [
      { email: user.email, password: 'wrong' },
      { email: 'nobody@example.com', password: FACTORY_PASSWORD },
      { email: inactive.email, password: FACTORY_PASSWORD },
      { email: user.email },
      { password: FACTORY_PASSWORD },
      { email: [user.email], password: FACTORY_PASSWORD },
      { email: { '>': '' }, password: FACTORY_PASSWORD },
      { email: user.email, password: [FACTORY_PASSWORD] },
      { email: `${user.email}\u0000`, password: FACTORY_PASSWORD },
    ]) {
      const visitor = new Visitor()
      const response = await visitor.post('/_test/session/attempt', { json: credentials })
      assert.deepEqual(await response.json(), { result: false, check: false })
      assert.lengthOf(response.setCookies, 0)
    }

    const guest = new Visitor()
    await guest.get('/_test/session/token')
    const id = await currentId(guest)
    await guest.send('/_test/session/attempt', { email: user.email, password: 'wrong' })
    assert.equal(await currentId(guest), id)
  })

  test('Auth.login() takes an id and regenerates the session id', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = new Visitor()
    await visitor.get('/_test/session/token')
    const guestId = await currentId(visitor)
    const response = await visitor.post(`/_test/session/login/${user.id}`, { csrf: true })
    assert.deepEqual(await response.json(), { id: user.id })
    assert.notEqual(await currentId(visitor), guestId)
    const whoami = await visitor.get('/_test/session/whoami')
    assert.deepEqual(await whoami.json(), { id: user.id, check: true })
  })

  test('Auth.login() refuses an unknown and an inactive user with invalid_session', async ({
    assert,
  }) => {
    const inactive = await UserFactory.merge({ isActive: false }).create()
    for (const id of [inactive.id, 999_999_999]) {
      const visitor = new Visitor()
      const response = await visitor.post(`/_test/session/login/${id}`)
      assert.equal(response.status, 401)
      assert.equal(((await response.json()) as any).error, 'invalid_session')
      assert.equal(visitor.cookies.size, 0)
    }
  })

  test('the data of one user never moves to another who signs in over it', async ({ assert }) => {
    const { visitor } = await signedIn()
    await visitor.send('/_test/session/data', { secret: 'of the first' })
    const second = await UserFactory.create()
    await visitor.post(`/_test/session/login/${second.id}`, { csrf: true })
    const data = await visitor.get('/_test/session/data')
    assert.deepEqual(await data.json(), {})
    assert.lengthOf(await SessionModel.all(), 1)
  })

  test('the id from before a login is dead: a fixed session is not signed in', async ({
    assert,
  }) => {
    const attacker = new Visitor()
    await attacker.get('/_test/session/token')
    const victim = new Visitor()
    attacker.cookies.forEach((value, name) => victim.cookies.set(name, value))
    const user = await UserFactory.create()
    await victim.login(user.email, FACTORY_PASSWORD)

    const response = await attacker.get('/_test/session/whoami')
    assert.deepEqual(await response.json(), { id: null, check: false })
    /* Not even a guest's: the browser is told to forget it. */
    assert.isNotEmpty(response.setCookies)
  })

  test('a logout deletes the row and both cookies', async ({ assert }) => {
    const { visitor } = await signedIn()
    const held = new Map(visitor.cookies)
    const response = await visitor.post('/logout', { csrf: true })
    assert.equal(response.status, 200)
    assert.deepEqual(visitor.sessionCookies, [])
    assert.lengthOf(await SessionModel.all(), 0)

    const thief = new Visitor()
    held.forEach((value, name) => thief.cookies.set(name, value))
    const replay = await thief.get('/api/me')
    assert.equal(replay.status, 401)
  })

  test('after a logout nobody is recognised in the same request', async ({ assert }) => {
    const { visitor } = await signedIn()
    const response = await visitor.post('/_test/session/logout-then-check', { csrf: true })
    assert.deepEqual(await response.json(), { id: null, check: false, user: null })
  })

  test('after its session was invalidated nobody is recognised in the same request', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const response = await visitor.post('/_test/session/invalidate-then-check', { csrf: true })
    assert.deepEqual(await response.json(), { user: null, id: null, check: false })
  })

  test('a session of one guard is none of another', async ({ client }) => {
    const sessions = await service()
    const user = await UserFactory.create()
    const userId = String(user.id)
    const admin = await sessions.start({}, { userId, guard: 'admin' })
    const refused = await client.get('/api/me').cookie('service_session', admin.id)
    refused.assertStatus(401)
    const web = await sessions.start({}, { userId, guard: 'web' })
    const response = await client.get('/api/me').cookie('service_session', web.id)
    response.assertStatus(200)
  })

  test('Session.regenerate() keeps data, user and CSRF token under a new id', async ({
    assert,
  }) => {
    for (const path of ['/_test/session/regenerate', '/_test/session/regenerate-later']) {
      const { visitor, user } = await signedIn()
      await visitor.send('/_test/session/data', { a: 1 })
      const old = new Visitor()
      visitor.cookies.forEach((value, name) => old.cookies.set(name, value))
      const [id, token] = [await currentId(visitor), visitor.csrfToken]

      await visitor.post(path, { csrf: true })

      assert.notEqual(await currentId(visitor), id)
      assert.equal(visitor.csrfToken, token)
      const data = await visitor.get('/_test/session/data')
      assert.deepEqual(await data.json(), { a: 1 })
      const whoami = await visitor.get('/_test/session/whoami')
      assert.deepEqual(await whoami.json(), { id: user.id, check: true })
      assert.isNull(await currentId(old))
    }
  })

  test('Session.invalidate() destroys the row and clears the cookies', async ({ assert }) => {
    const { visitor } = await signedIn()
    const response = await visitor.post('/_test/session/invalidate', { csrf: true })
    assert.deepEqual(await response.json(), { id: null })
    assert.deepEqual(visitor.sessionCookies, [])
    assert.lengthOf(await SessionModel.all(), 0)
  })

  test('flash messages end with the session they were meant for', async ({ assert }) => {
    const { visitor } = await signedIn()
    await visitor.post('/_test/session/flash-then-destroy', { csrf: true })
    assert.deepEqual(visitor.sessionCookies, [])
    assert.lengthOf(await SessionModel.all(), 0)
  })

  test('what is put after an invalidation starts a fresh guest session', async ({ assert }) => {
    const { visitor } = await signedIn()
    const id = await currentId(visitor)
    await visitor.post('/_test/session/put-after-destroy', { csrf: true })
    assert.notEqual(await currentId(visitor), id)
    const [row] = await SessionModel.all()
    assert.isNull(row!.userId)
    assert.deepEqual(JSON.parse(row!.data), { fresh: true })
  })

  test('a session that another request ends before it takes a new id leaves nobody its data', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    await visitor.send('/_test/session/data', { a: 1 })
    await visitor.post('/_test/session/regenerate-ended', { csrf: true })
    const [row] = await SessionModel.all()
    assert.isNull(row!.userId)
    assert.deepEqual(JSON.parse(row!.data), { fresh: true })
  })
})

test.group('Session | lifetimes', (group) => {
  group.each.setup(async () => {
    await SessionModel.query().delete()
    const { config } = await service()
    const original = { ...config }
    return () => void Object.assign(config, original)
  })

  test('a session lapses at its absolute ttl, however busy it is', async ({ assert }) => {
    const tick = stopClock()
    const { visitor } = await signedIn()
    for (const seconds of [3600, 3599]) {
      tick(seconds)
      const response = await visitor.get('/api/me')
      assert.equal(response.status, 200)
    }
    tick(1)
    const response = await visitor.get('/api/me')
    assert.equal(response.status, 401)
    assert.deepEqual(visitor.sessionCookies, [])
  })

  test('the cookie is told the time that is left, and never more', async ({ assert }) => {
    const tick = stopClock()
    const { visitor } = await signedIn()
    tick(7000)
    const response = await visitor.post('/_test/session/regenerate', { csrf: true })
    const maxAge = Number(/Max-Age=(\d+)/.exec(response.setCookies.join())![1])
    assert.equal(maxAge, 200)
  })

  test('a session lapses when it has been idle for idleTtl, and activity keeps it alive', async ({
    assert,
  }) => {
    const { config } = await service()
    Object.assign(config, { idleTtl: 600 })
    const tick = stopClock()
    const { visitor } = await signedIn()
    for (let round = 0; round < 3; round++) {
      tick(599)
      const response = await visitor.get('/api/me')
      assert.equal(response.status, 200)
    }
    tick(601)
    const response = await visitor.get('/api/me')
    assert.equal(response.status, 401)
  })

  test('with idleTtl activity is written at most once a second', async ({ assert }) => {
    const { config } = await service()
    Object.assign(config, { idleTtl: 600 })
    const tick = stopClock()
    const { visitor } = await signedIn()
    tick(2)
    const first = await recordStatements(() => visitor.get('/api/me'))
    tick(0.999)
    const second = await recordStatements(() => visitor.get('/api/me'))
    tick(0.001)
    const third = await recordStatements(() => visitor.get('/api/me'))
    const read = lookupStatements()
    const counts = [first, second, third].map((all) => withoutTransactions(all).length)
    assert.deepEqual(counts, [read + 1, read, read + 1])
  })

  test('a short idleTtl does not end the session of someone who is active', async ({ assert }) => {
    const { config } = await service()
    Object.assign(config, { idleTtl: 2 })
    const tick = stopClock()
    const { visitor } = await signedIn()
    for (const seconds of [0.9, 1.4, 1.8]) {
      tick(seconds)
      assert.isNotNull(await currentId(visitor))
    }
    tick(2)
    assert.isNull(await currentId(visitor))
  })

  test('without idleTtl activity is written once an hour at most', async ({ assert }) => {
    const tick = stopClock()
    const { visitor } = await signedIn()
    tick(3599)
    const first = await recordStatements(() => visitor.get('/api/me'))
    tick(1)
    const second = await recordStatements(() => visitor.get('/api/me'))
    const third = await recordStatements(() => visitor.get('/api/me'))
    const read = lookupStatements()
    const counts = [first, second, third].map((all) => withoutTransactions(all).length)
    assert.deepEqual(counts, [read, read + 1, read])
  })

  test('a purge deletes lapsed sessions and no others', async ({ assert }) => {
    const sessions = await service()
    await signedIn()
    travel(7200)
    const { visitor } = await signedIn()
    assert.equal(await sessions.purge(), 1)
    const response = await visitor.get('/api/me')
    assert.equal(response.status, 200)
  })
})

test.group('Session | rows', (group) => {
  group.each.setup(async () => {
    await SessionModel.query().delete()
  })

  test('the id is stored as a hash', async ({ assert }) => {
    const { visitor } = await signedIn()
    const id = await currentId(visitor)
    const row = await SessionModel.firstOrFail()
    assert.equal(row.id, hashSecret(id!))
    assert.notInclude(JSON.stringify(row.$attributes), id!)
  })

  test('the cookies carry the attributes of the config', async ({ assert }) => {
    const { config } = await service()
    const original = { ...config }
    Object.assign(config, {
      secure: true,
      sameSite: 'strict',
      domain: 'example.com',
      path: '/_test',
      cookie: 'my_session',
      csrfCookie: 'MY-XSRF',
    })
    const response = await new Visitor().get('/_test/session/token')
    Object.assign(config, original)

    const [session, csrf] = response.setCookies
    assert.match(session!, /^my_session=s%3A/)
    assert.match(csrf!, /^MY-XSRF=[A-Za-z0-9]{43};/)
    for (const cookie of [session, csrf]) {
      assert.include(cookie, '; Secure')
      assert.include(cookie, '; SameSite=Strict')
      assert.include(cookie, '; Domain=example.com')
      assert.include(cookie, '; Path=/_test')
      assert.include(cookie, '; Max-Age=7200')
    }
    assert.include(session, '; HttpOnly')
    assert.notInclude(csrf, 'HttpOnly')
  })

  test('stale cookies of the host are deleted beside those of a domain that was set later', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    await SessionModel.query().delete()
    const { config } = await service()
    replaceForTest(config, 'domain', 'example.com')
    const { setCookies } = await visitor.get('/_test/session/whoami')
    for (const name of [config.cookie, config.csrfCookie]) {
      const deleted = setCookies.filter((cookie) => cookie.startsWith(`${name}=; Max-Age=0`))
      assert.sameMembers(
        deleted.map((cookie) => cookie.includes('; Domain=example.com')),
        [true, false]
      )
    }
  })

  test('with sameSite strict a link of another site sends no cookies of a guest: they would replace those of whoever is signed in', async ({
    assert,
  }) => {
    const { config } = await service()
    const user = await UserFactory.create()
    const follow = async (site: string) => {
      const visitor = new Visitor()
      const headers = { 'accept': 'text/html', 'sec-fetch-site': site }
      const page = await visitor.get('/login', { headers })
      return { visitor, setCookies: page.setCookies, html: await page.text() }
    }
    assert.lengthOf((await follow('cross-site')).setCookies, 2)
    replaceForTest(config, 'sameSite', 'strict')
    assert.lengthOf((await follow('same-origin')).setCookies, 2)
    const { visitor, setCookies, html } = await follow('cross-site')
    assert.lengthOf(setCookies, 0)

    const [, token] = /name="_token" value="([^"]+)"/.exec(html)!
    const form = { email: user.email, password: FACTORY_PASSWORD, _token: token! }
    const headers = { 'accept': 'text/html', 'sec-fetch-site': 'same-origin' }
    const login = await visitor.post('/login', { form, headers })
    assert.equal(login.headers.get('location'), '/account')
    assert.equal((await visitor.get('/api/me')).status, 200)
  })

  test('with hostPrefix a browser signs in and out under the prefixed names', async ({
    assert,
  }) => {
    const { config } = await service()
    const original = { ...config }
    Object.assign(config, defineConfig({ secure: true, hostPrefix: true }))
    const user = await UserFactory.create()
    const visitor = new Visitor()
    const login = await visitor.login(user.email, FACTORY_PASSWORD)
    const me = await visitor.get('/api/me')
    const token = visitor.cookies.get('__Host-XSRF-TOKEN')!
    const logout = await visitor.post('/logout', { headers: { 'x-xsrf-token': token } })
    Object.assign(config, original)

    assert.deepEqual([me.status, logout.status], [200, 200])
    for (const name of ['__Host-service_session', '__Host-XSRF-TOKEN']) {
      const cookie = login.setCookies.find((text) => text.startsWith(`${name}=`))!
      assert.include(cookie, '; Path=/;')
      assert.include(cookie, '; Secure')
      assert.notInclude(cookie, 'Domain')
    }
    assert.deepEqual(visitor.sessionCookies, [])
  })

  test('httpOnly may be turned off for the session cookie', async ({ assert }) => {
    const { config } = await service()
    config.httpOnly = false
    const response = await new Visitor().get('/_test/session/token')
    config.httpOnly = true
    assert.notInclude(response.setCookies[0], 'HttpOnly')
  })

  test('secure cookies work behind a proxy that ends https', async ({ assert }) => {
    const { config } = await service()
    config.secure = true
    const user = await UserFactory.create()
    const visitor = new Visitor()
    const proxied = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'app.example.com' }
    const login = await visitor.post('/login', {
      json: { email: user.email, password: FACTORY_PASSWORD },
      headers: proxied,
    })
    const me = await visitor.get('/api/me', { headers: proxied })
    config.secure = false
    assert.lengthOf(visitor.sessionCookies, 2)
    login.setCookies
      .filter((cookie) => !cookie.startsWith('known_device='))
      .forEach((cookie) => assert.include(cookie, '; Secure'))
    assert.equal(me.status, 200)
  })

  test('the CSRF cookie is sent again only when the browser holds another one', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const token = visitor.csrfToken
    visitor.cookies.set('XSRF-TOKEN', 'another')
    const response = await visitor.get('/api/me')
    assert.lengthOf(response.setCookies, 1)
    assert.equal(visitor.csrfToken, token)
  })

  test('requests at the same time lose no data', async ({ assert }) => {
    const visitor = new Visitor()
    await visitor.get('/_test/session/token')
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => visitor.get(`/_test/session/slow-put/k${index}`))
    )
    const response = await visitor.get('/_test/session/data')
    const { nested } = (await response.json()) as { nested: object }
    assert.lengthOf(Object.keys(nested), 20)
  })

  test('a request that began before a logout does not bring the session back', async ({
    assert,
  }) => {
    for (let round = 0; round < 10; round++) {
      const { visitor } = await signedIn()
      await Promise.all([
        ...Array.from({ length: 5 }, (_, index) => visitor.get(`/_test/session/slow-put/${index}`)),
        visitor.post('/logout', { csrf: true }),
      ])
    }
    const rows = await SessionModel.query().whereNotNull('userId')
    assert.lengthOf(rows, 0)
  })

  test('an inactive user is not recognised, and is again when active', async ({ assert }) => {
    const { visitor, user } = await signedIn()
    await user.merge({ isActive: false }).save()
    const refused = await visitor.get('/api/me')
    assert.equal(refused.status, 401)
    await user.merge({ isActive: true }).save()
    const response = await visitor.get('/api/me')
    assert.equal(response.status, 200)
  })

  test('a session whose user is gone is not recognised', async ({ assert }) => {
    const { visitor, user } = await signedIn()
    await user.delete()
    const response = await visitor.get('/api/me')
    assert.equal(response.status, 401)
  })

  test('all sessions of a user can be ended at once', async ({ assert }) => {
    const { visitor, user } = await signedIn()
    const { visitor: phone } = await signedIn(user)
    const other = await signedIn()

    const sessions = await service()
    const manager = await app.container.make('auth_manager')
    assert.equal(await sessions.destroyAllOf(user, manager.users('users')), 2)

    for (const ended of [visitor, phone]) {
      const response = await ended.get('/api/me')
      assert.equal(response.status, 401)
    }
    const response = await other.visitor.get('/api/me')
    assert.equal(response.status, 200)
  })
})

test.group('Session | slow bodies', () => {
  test('a session that ends while the body of a request arrives counts no more', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const { hostname, port } = new URL(await serverUrl())
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const body = JSON.stringify({ late: true })
    const arrived = once(server.getNodeServer()!, 'request')
    const socket = connect(Number(port), hostname)
    socket.write(
      `POST /_test/session/attempt HTTP/1.1\r\nHost: x\r\nConnection: close\r\nCookie: ${cookie}\r\n` +
        `X-XSRF-TOKEN: ${visitor.csrfToken}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`
    )
    await arrived
    await visitor.post('/logout', { csrf: true })
    socket.write(body.slice(5))
    const answer = await readText(socket)
    assert.include(answer, '{"result":false,"check":false}')
  })
})
