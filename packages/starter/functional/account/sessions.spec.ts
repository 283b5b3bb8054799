import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import Session from '#kit/session/models/session'
import type User from '#models/user'
import { stopClock } from '#starter/helpers/time'
import { Visitor, isSignedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html' }
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

async function signIn(user: User, userAgent = FIREFOX) {
  const visitor = new Visitor()
  await visitor.post('/login', {
    json: { email: user.email, password: FACTORY_PASSWORD },
    headers: { 'user-agent': userAgent },
  })
  return visitor
}

async function sessionsOf(visitor: Visitor) {
  const response = await visitor.get('/account/sessions')
  return ((await response.json()) as any).sessions as any[]
}

test.group('/account/sessions', () => {
  test('lists where a person is signed in, with what, and marks this one', async ({ assert }) => {
    stopClock()
    const user = await UserFactory.create()
    const laptop = await signIn(user)
    await signIn(user, SAFARI)
    const sessions = await sessionsOf(laptop)
    assert.sameDeepMembers(
      sessions.map(({ browser, system, current, ip_address: address }) => [
        browser,
        system,
        current,
        address,
      ]),
      [
        ['Firefox', 'Linux', true, '127.0.0.1'],
        ['Safari', 'iOS', false, '127.0.0.1'],
      ]
    )
    assert.equal(sessions[0].created_at, Date.now() / 1000)
    assert.equal(sessions[0].last_activity, Date.now() / 1000)

    const response = await laptop.get('/account/sessions', { headers: PAGE })
    const page = await response.text()
    assert.include(page, 'Firefox on Linux')
    assert.include(page, 'Safari on iOS')
    assert.include(page, 'Sign out all others')
  })

  test('what a browser says of itself is kept short and escaped', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = await signIn(user, `<script>${'x'.repeat(5000)}`)
    const [session] = await sessionsOf(visitor)
    assert.lengthOf(session.user_agent, 255)
    const page = await visitor.get('/account/sessions', { headers: PAGE })
    assert.notInclude(await page.text(), '<script>x')
  })

  test('a listed id opens nothing', async ({ assert }) => {
    const user = await UserFactory.create()
    const [session] = await sessionsOf(await signIn(user))
    const thief = new Visitor()
    thief.cookies.set('service_session', session.id)
    assert.isFalse(await isSignedIn(thief))
  })

  test('ends one, at once, and keeps the rest', async ({ assert }) => {
    const user = await UserFactory.create()
    const [laptop, phone, tablet] = [
      await signIn(user),
      await signIn(user, SAFARI),
      await signIn(user),
    ]
    const phoneSession = (await sessionsOf(phone)).find(({ current }) => current)
    const response = await laptop.request('DELETE', `/account/sessions/${phoneSession.id}`, {
      csrf: true,
    })
    assert.equal(response.status, 204)
    assert.deepEqual(
      [await isSignedIn(laptop), await isSignedIn(phone), await isSignedIn(tablet)],
      [true, false, true]
    )
    const endings = async () => {
      const { events }: any = await (await laptop.get('/account/security')).json()
      const ended = events.filter(({ type }: any) => type === 'sessions_ended')
      return ended.map(({ details }: any) => details)
    }
    assert.deepEqual(await endings(), [{ count: 1 }])
    const again = await laptop.request('DELETE', `/account/sessions/${phoneSession.id}`, {
      csrf: true,
    })
    assert.equal(again.status, 404)
    assert.deepEqual(await endings(), [{ count: 1 }])
  })

  test('ends one that has taken a new id since it was listed', async ({ assert }) => {
    const user = await UserFactory.create()
    const [laptop, phone] = [await signIn(user), await signIn(user, SAFARI)]
    const listed = (await sessionsOf(laptop)).find(({ current }) => !current)
    const before = phone.cookies.get('service_session')
    await phone.send('/confirm', { password: FACTORY_PASSWORD })
    assert.notEqual(phone.cookies.get('service_session'), before)
    assert.include(
      (await sessionsOf(laptop)).map(({ id }) => id),
      listed.id
    )
    const end = () => laptop.request('DELETE', `/account/sessions/${listed.id}`, { csrf: true })
    const statuses = (await Promise.all([end(), end(), end()])).map(({ status }) => status)
    assert.deepEqual(statuses.sort(), [204, 404, 404])
    assert.deepEqual([await isSignedIn(laptop), await isSignedIn(phone)], [true, false])
  })

  test('ends all others, and nobody else is touched', async ({ assert }) => {
    const [user, stranger] = [await UserFactory.create(), await UserFactory.create()]
    const [laptop, phone, other] = [
      await signIn(user),
      await signIn(user, SAFARI),
      await signIn(stranger),
    ]
    const response = await laptop.request('DELETE', '/account/sessions', { csrf: true })
    assert.deepEqual(await response.json(), { ended: 1 })
    assert.deepEqual(
      [await isSignedIn(laptop), await isSignedIn(phone), await isSignedIn(other)],
      [true, false, true]
    )
    const events = await laptop.get('/account/security')
    const [event] = ((await events.json()) as any).events
    assert.deepEqual([event.type, event.details], ['sessions_ended', { count: 1 }])
  })

  test('the session of somebody else is not found, and goes on', async ({ assert }) => {
    const [user, victim] = [await UserFactory.create(), await UserFactory.create()]
    const [attacker, other] = [await signIn(user), await signIn(victim)]
    const [session] = await sessionsOf(other)
    const response = await attacker.request('DELETE', `/account/sessions/${session.id}`, {
      csrf: true,
    })
    assert.equal(response.status, 404)
    await attacker.post(`/account/sessions/${session.id}/end`, {
      form: { _token: attacker.csrfToken },
      headers: PAGE,
    })
    assert.isTrue(await isSignedIn(other))
    assert.notInclude(
      (await sessionsOf(attacker)).map(({ id }) => id),
      session.id
    )
  })

  test('needs a session and its CSRF token', async ({ assert }) => {
    const visitor = await signIn(await UserFactory.create())
    const [session] = await sessionsOf(visitor)
    assert.equal((await visitor.request('DELETE', '/account/sessions')).status, 403)
    assert.equal((await visitor.post(`/account/sessions/${session.id}/end`)).status, 403)
    assert.equal((await new Visitor().get('/account/sessions')).status, 401)
    assert.isTrue(await isSignedIn(visitor))
  })

  test('the page and its JSON tell when each was last active, to the hour', async ({ assert }) => {
    const tick = stopClock()
    const user = await UserFactory.create()
    const laptop = await signIn(user)
    const since = Math.floor(Date.now() / 1000)
    tick(3599)
    await laptop.get('/api/me', { headers: { 'user-agent': SAFARI } })
    const [before] = await sessionsOf(laptop)
    assert.deepEqual([before.last_activity, before.browser], [since, 'Firefox'])
    tick(1)
    await laptop.get('/api/me', { headers: { 'user-agent': SAFARI } })
    const [after] = await sessionsOf(laptop)
    assert.deepEqual([after.last_activity, after.browser], [since + 3600, 'Safari'])
    assert.equal(after.created_at, since)
    const page = await laptop.get('/account/sessions', { headers: PAGE })
    assert.include(await page.text(), 'Last active')
  })

  test('a request that changes nothing writes no address', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = await signIn(user)
    await visitor.get('/account/sessions', { headers: { 'user-agent': SAFARI } })
    const row = await Session.findByOrFail({ userId: String(user.id) })
    assert.equal(row.userAgent, FIREFOX)
  })

  test('the address and device follow the activity that is written', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = await signIn(user)
    await visitor.post('/account', {
      form: { fullName: 'Ann', _token: visitor.csrfToken },
      headers: { ...PAGE, 'user-agent': SAFARI },
    })
    const row = await Session.findByOrFail({ userId: String(user.id) })
    assert.equal(row.userAgent, SAFARI)
  })

  test('the forms work as pages', async ({ assert }) => {
    const user = await UserFactory.create()
    const [laptop, phone] = [await signIn(user), await signIn(user, SAFARI)]
    const form = { _token: laptop.csrfToken, sure: '1' }
    const { id } = (await sessionsOf(await signIn(user))).find(({ current }) => current)
    for (const words of ['The session has ended.', 'This session had ended already.']) {
      await laptop.post(`/account/sessions/${id}/end`, { form, headers: PAGE })
      const told = await laptop.get('/account/sessions', { headers: PAGE })
      assert.include(await told.text(), words)
    }
    const ended = await laptop.post('/account/sessions/end-others', { form, headers: PAGE })
    assert.equal(ended.headers.get('location'), '/account/sessions')
    const page = await laptop.get('/account/sessions', { headers: PAGE })
    assert.include(await page.text(), '1 other session has ended.')
    assert.isFalse(await isSignedIn(phone))
  })
})
