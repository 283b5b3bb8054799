import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { RequestSession } from '#kit/session/request_session'
import { SessionService } from '#kit/session/session_service'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import User from '#models/user'
import { limit } from '#starter/helpers/limits'
import { replaceForTest } from '#starter/helpers/replace'
import { serverUrl } from '#starter/helpers/server_url'
import { stopClock } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** A request whose session another request destroys while it runs. */
router.get('/_test/lossless/outrun', async (ctx) => {
  const sessions = await app.container.make(SessionService)
  ctx.session.flash('success', 'Read me')
  ctx.session.put('note', 'of the session that ended')
  await sessions.destroy(RequestSession.of(ctx).live!)
  return ctx.response.redirect().toPath('/login')
})

async function busyStore() {
  const { store } = await app.container.make(SessionService)
  replaceForTest(store, 'create', () => {
    throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
  })
}

const registration = (email: string, password = FACTORY_PASSWORD) => ({
  form: { email, password, password_confirmation: password },
  headers: PAGE,
})

test.group('Nothing is lost', () => {
  test('a message survives a session that another request has destroyed, and nothing else does', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    await visitor.get('/_test/lossless/outrun', { headers: PAGE })
    const page = await visitor.get('/login', { headers: PAGE })
    assert.equal(page.status, 200)
    assert.include(await page.text(), 'Read me')
    assert.isEmpty(await db.from('sessions').whereLike('data', '%that ended%'))
    const account = await visitor.get('/account', { headers: PAGE })
    assert.equal(account.headers.get('location'), '/login')
  })

  test('without JavaScript a page asks before something is destroyed, and leads back, never to another host', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const path = '/account/tokens/1/revoke'
    const send = async (form: Record<string, string>, referer?: string) => {
      const headers = { ...PAGE, ...(referer && { referer }) }
      return visitor.post(path, { form, headers, csrf: true })
    }
    const asked = await send({ named: 'x'.repeat(300) }, await serverUrl('/account/tokens?a=b'))
    assert.equal(asked.status, 200)
    const html = await asked.text()
    assert.include(html, `<h1>Revoke ${'x'.repeat(255)}?</h1>`)
    assert.include(html, `action="${path}"`)
    assert.include(html, '<p class="aside"><a href="/account/tokens?a=b">')
    const foreign = await (await send({}, await serverUrl('//evil.example/account'))).text()
    assert.include(foreign, '<p class="aside"><a href="/evil.example/account">')
    const elsewhere = await (await send({})).text()
    assert.include(elsewhere, '<h1>Revoke ?</h1>')
    assert.include(elsewhere, '<p class="aside"><a href="/account">')
    const sure = await send({ sure: '1' })
    assert.equal(sure.headers.get('location'), '/account/tokens')
  })

  test('a database that is busy while a template starts a session is 503 with Retry-After: {path}')
    .with(['/login', '/register', '/password/forgot'].map((path) => ({ path })))
    .run(async ({ assert }, { path }) => {
      await busyStore()
      const page = await new Visitor().get(path, { headers: PAGE })
      assert.equal(page.status, 503)
      assert.match(page.headers.get('retry-after')!, /^[1-9]\d*$/)
      assert.match(page.headers.get('content-type')!, /^text\/html/)
      const json = await new Visitor().get(path, { headers: { accept: 'application/json' } })
      assert.equal(json.status, 503)
    })

  test('a registration that is repeated within a minute signs in, with the same password alone', async ({
    assert,
  }) => {
    const email = `${crypto.randomUUID()}@example.com`
    await new Visitor().post('/register', registration(email))
    const again = await new Visitor().post('/register', registration(email))
    assert.equal(again.headers.get('location'), '/account')
    const guess = new Visitor()
    const refused = await guess.post('/register', registration(email, 'another secret 9'))
    assert.notEqual(refused.headers.get('location'), '/account')

    const user = await User.findByOrFail({ email })
    await user.merge({ createdAt: user.createdAt.minus({ minutes: 2 }) }).save()
    const late = await new Visitor().post('/register', registration(email))
    assert.notEqual(late.headers.get('location'), '/account')
  })

  test('a form that is sent after a sign-out in another tab says so, and what was typed is there after signing in', async ({
    assert,
  }) => {
    const { email } = await UserFactory.create()
    const visitor = new Visitor()
    await visitor.login(email, FACTORY_PASSWORD)
    const stale = { 'x-xsrf-token': visitor.csrfToken }
    await visitor.post('/logout', { form: {}, csrf: true, headers: PAGE })
    await visitor.get('/login', { headers: PAGE })
    const send = (referer: string) => {
      const headers = { ...PAGE, ...stale, referer }
      return visitor.post('/account', { form: { fullName: 'Typed' }, headers })
    }
    assert.equal((await send('https://evil.example.com/account')).status, 403)
    const sent = await send(await serverUrl('/account'))
    assert.equal(sent.headers.get('location'), '/login')
    const login = await (await visitor.get('/login', { headers: PAGE })).text()
    assert.include(login, 'You were signed out in the meantime.')
    await visitor.login(email, FACTORY_PASSWORD)
    const page = await visitor.get('/account', { headers: PAGE })
    assert.include(await page.text(), 'value="Typed"')
  })

  test('a form that is sent after a sign-out is kept for its person: who signs in instead does not see it', async ({
    assert,
  }) => {
    const [ann, bob] = [await UserFactory.create(), await UserFactory.create()]
    const typedBy = async (visitor: Visitor) => {
      await visitor.login(ann.email, FACTORY_PASSWORD)
      const form = { fullName: 'Typed', _token: visitor.csrfToken }
      await visitor.post('/logout', { form: {}, csrf: true, headers: PAGE })
      await visitor.get('/login', { headers: PAGE })
      const referer = await serverUrl('/account')
      await visitor.post('/account', { form, headers: { ...PAGE, referer } })
      /* A guest is led to the sign-in, and it is kept on. */
      await visitor.get('/account', { headers: PAGE })
    }
    const accountOf = async (visitor: Visitor, { email }: User) => {
      await visitor.login(email, FACTORY_PASSWORD)
      return (await visitor.get('/account', { headers: PAGE })).text()
    }
    const [own, shared] = [new Visitor(), new Visitor()]
    await typedBy(own)
    assert.include(await accountOf(own, ann), 'value="Typed"')
    await typedBy(shared)
    assert.notInclude(await accountOf(shared, bob), 'Typed')
    assert.notInclude(await accountOf(shared, ann), 'Typed')
  })

  test('so is one whose token is in the header, as Inertia sends it', async ({ assert }) => {
    const [bob, { user, visitor }] = [await UserFactory.create(), await signedIn()]
    const referer = await serverUrl('/account')
    const form = { fullName: 'Typed' }
    await db
      .from('sessions')
      .where({ user_id: String(user.id) })
      .delete()
    const sent = await visitor.post('/account', { form, headers: { ...PAGE, referer }, csrf: true })
    assert.equal(sent.headers.get('location'), '/login')
    await visitor.login(bob.email, FACTORY_PASSWORD)
    const page = await visitor.get('/account', { headers: PAGE })
    assert.notInclude(await page.text(), 'Typed')
  })

  test('whose page it was, a token in the header of a guest does not tell: who signs in does not see it', async ({
    assert,
  }) => {
    const [ann, bob] = [await UserFactory.create(), await UserFactory.create()]
    const referer = await serverUrl('/account')
    for (const hasCookie of [true, false]) {
      const visitor = new Visitor()
      await visitor.login(ann.email, FACTORY_PASSWORD)
      /* In another tab. Inertia takes the token of the cookie that is there when it sends. */
      await visitor.post('/logout', { form: {}, csrf: true, headers: PAGE })
      hasCookie && (await visitor.get('/login', { headers: PAGE }))
      const form = { fullName: 'Typed' }
      const headers = { ...PAGE, referer }
      const sent = await visitor.post('/account', { form, headers, csrf: hasCookie })
      assert.equal(sent.headers.get('location'), '/login')
      await visitor.login(bob.email, FACTORY_PASSWORD)
      const page = await visitor.get('/account', { headers: PAGE })
      assert.notInclude(await page.text(), 'Typed')
    }
  })

  test('a form of a page of guests is shown to whoever signs in to send it', async ({ assert }) => {
    const { email } = await UserFactory.create()
    const visitor = new Visitor()
    await visitor.get('/login', { headers: PAGE })
    const form = { fullName: 'Typed', _token: visitor.csrfToken }
    const headers = { ...PAGE, referer: await serverUrl('/account') }
    await visitor.post('/account', { form, headers })
    await visitor.login(email, FACTORY_PASSWORD)
    const page = await visitor.get('/account', { headers: PAGE })
    assert.include(await page.text(), 'value="Typed"')
  })

  test('a form whose token is no text leads to the sign-in as any other', async ({ assert }) => {
    const headers = { ...PAGE, referer: await serverUrl('/account') }
    for (const token of [{ toString: 1, valueOf: 1 }, { split: 1 }, [['a']], null, 7]) {
      const answer = await new Visitor().post('/account', { json: { _token: token }, headers })
      assert.equal(answer.headers.get('location'), '/login')
    }
  })

  test('what was typed into a form that has expired is in its page when that is shown again, once', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const page = await serverUrl('/account')
    const form = { fullName: 'Typed', _token: `stale.${visitor.csrfToken.split('.')[1]}` }
    const expired = await visitor.post('/account', { form, headers: { ...PAGE, referer: page } })
    assert.equal(expired.status, 403)
    const shown = await visitor.get('/account', { headers: PAGE })
    assert.include(await shown.text(), 'value="Typed"')
    const again = await visitor.get('/account', { headers: PAGE })
    assert.notInclude(await again.text(), 'Typed')
  })

  test('a form with a mistake goes back to its page, with the query of its address', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const headers = { ...PAGE, referer: await serverUrl('/account?plan=a&plan=b') }
    const form = { fullName: 'x'.repeat(300) }
    const sent = await visitor.post('/account', { form, csrf: true, headers })
    assert.equal(sent.headers.get('location'), '/account?plan=a&plan=b')
  })

  test('a form that is sent too often goes back to its page, with its text and the seconds to wait', async ({
    assert,
  }) => {
    await limit({ failedLogins: { perAddress: { attempts: 1, seconds: 60 } } })
    const visitor = new Visitor()
    await visitor.get('/login?from=mail', { headers: PAGE })
    const headers = { ...PAGE, referer: await serverUrl('/login?from=mail') }
    const send = () => {
      const form = { email: 'typed@example.com', password: 'wrong', _token: visitor.csrfToken }
      return visitor.post('/login', { form, headers })
    }
    await send()
    const refused = await send()
    assert.equal(refused.status, 302)
    assert.equal(refused.headers.get('location'), '/login?from=mail')
    const shown = await (await visitor.get('/login?from=mail', { headers: PAGE })).text()
    assert.match(shown, /Too many attempts\. Try again in ([1-9]|[1-5]\d|60) seconds?\./)
    assert.include(shown, 'value="typed@example.com"')
    assert.notInclude(shown, 'wrong"')
  })

  test('a form whose session has ended leads to the sign-in page, and from there back to its text', async ({
    assert,
  }) => {
    const { user, visitor } = await signedIn()
    await db
      .from('sessions')
      .where({ user_id: String(user.id) })
      .delete()
    const headers = { ...PAGE, referer: await serverUrl('/account?tab=name') }
    const typed = { fullName: 'Typed', _token: visitor.csrfToken }
    const sent = await visitor.post('/account', { form: typed, headers })
    assert.equal(sent.headers.get('location'), '/login')
    const login = await (await visitor.get('/login', { headers: PAGE })).text()
    assert.include(login, 'You were signed out in the meantime.')
    const form = { email: user.email, password: FACTORY_PASSWORD, _token: visitor.csrfToken }
    const back = await visitor.post('/login', { form, headers: PAGE })
    assert.equal(back.headers.get('location'), '/account?tab=name')
    const shown = await visitor.get('/account?tab=name', { headers: PAGE })
    assert.include(await shown.text(), 'value="Typed"')
  })

  test('a form of a page that needs no sign-in has expired all the same', async ({ assert }) => {
    const visitor = new Visitor()
    await visitor.get('/login', { headers: PAGE })
    const headers = { ...PAGE, referer: await serverUrl('/login') }
    const sent = await visitor.post('/login', { form: { _token: 'stale' }, headers })
    assert.equal(sent.status, 403)
    assert.include(await sent.text(), 'This form has expired')
  })

  test('a form that is sent after the confirmation has expired comes back with its text, once it is given', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    stopClock()(3600)
    const headers = { ...PAGE, referer: await serverUrl('/account/tokens') }
    const form = { name: 'Laptop', ttl: '604800' }
    const sent = await visitor.post('/account/tokens', { form, csrf: true, headers })
    assert.equal(sent.headers.get('location'), '/confirm')
    const proof = { password: FACTORY_PASSWORD }
    const back = await visitor.post('/confirm', { form: proof, csrf: true, headers: PAGE })
    assert.equal(back.headers.get('location'), '/account/tokens')
    const shown = await (await visitor.get('/account/tokens', { headers: PAGE })).text()
    assert.include(shown, 'value="Laptop"')
    assert.match(shown, /<option value="604800"\s+selected/)
  })

  test("what a form of another site has sent is not shown as the person's own words", async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    await visitor.post('/account', {
      form: { fullName: 'Planted' },
      headers: { ...PAGE, referer: 'https://evil.example/account' },
    })
    const page = await visitor.get('/account', { headers: PAGE })
    assert.notInclude(await page.text(), 'Planted')
  })

  test('a page of an error leads on and names the request: {path}')
    .with([{ path: '/nowhere' }, { path: '/oauth/authorize?client_id=x' }])
    .run(async ({ assert }, { path }) => {
      const response = await new Visitor().get(path, {
        headers: { ...PAGE, 'x-request-id': 'abc-123' },
      })
      const text = await response.text()
      assert.include(text, 'Request abc-123')
      assert.include(text, 'href="/"')
    })
})
