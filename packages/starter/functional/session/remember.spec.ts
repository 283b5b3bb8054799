import { test } from '@japa/runner'

import { defineConfig } from '#kit/session/define_config'
import SessionModel from '#kit/session/models/session'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import type User from '#models/user'
import { stopClock } from '#starter/helpers/time'
import { Visitor, isSignedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html' }
const TTL = 7200
const REMEMBER_TTL = 30 * 24 * 60 * 60

async function signIn(body: Record<string, unknown> = {}, user?: User, visitor = new Visitor()) {
  const person = user ?? (await UserFactory.create())
  const response = await visitor.send('/login', {
    email: person.email,
    password: FACTORY_PASSWORD,
    ...body,
  })
  return { user: person, visitor, response }
}

async function lifetimeOf(user: User) {
  const session = await SessionModel.findByOrFail('userId', String(user.id))
  return (Number(session.expiresAt) - Number(session.createdAt)) / 1000
}

const ages = (cookies: string[]) =>
  cookies
    .filter((cookie) => /^(service_session|XSRF-TOKEN)=/.test(cookie))
    .map((cookie) => Number(/max-age=(\d+)/i.exec(cookie)![1]))

test.group('Remember me', () => {
  test('a remembered session lives rememberTtl, and so do its cookies', async ({ assert }) => {
    const tick = stopClock()
    const { user, visitor, response } = await signIn({ remember: true })
    assert.equal(response.status, 200)
    assert.deepEqual(ages(response.setCookies), [REMEMBER_TTL, REMEMBER_TTL])
    assert.equal(await lifetimeOf(user), REMEMBER_TTL)

    tick(REMEMBER_TTL - 1)
    assert.isTrue(await isSignedIn(visitor))
    tick(1)
    assert.isFalse(await isSignedIn(visitor))
    assert.isFalse(visitor.cookies.has('service_session'))
  })

  test('{what}, a session lives ttl')
    .with([
      { what: 'without it', body: {} },
      { what: 'with false', body: { remember: false } },
      { what: 'with null', body: { remember: null } },
    ])
    .run(async ({ assert }, { body }) => {
      const tick = stopClock()
      const { user, visitor, response } = await signIn(body)
      assert.deepEqual(ages(response.setCookies), [TTL, TTL])
      assert.equal(await lifetimeOf(user), TTL)
      tick(TTL)
      assert.isFalse(await isSignedIn(visitor))
    })

  test('the form has a checkbox, which stays checked after a wrong password', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const visitor = new Visitor()
    const first = await visitor.get('/login', { headers: PAGE })
    assert.notMatch(await first.text(), /name="remember"[^>]*\bchecked/)

    const post = (password: string) =>
      visitor.post('/login', {
        form: { email: user.email, password, remember: 'true', _token: visitor.csrfToken },
        headers: PAGE,
      })
    await post('wrong')
    const again = await visitor.get('/login', { headers: PAGE })
    assert.match(await again.text(), /name="remember"[^>]*\bchecked/)

    const signedIn = await post(FACTORY_PASSWORD)
    assert.equal(signedIn.headers.get('location'), '/account')
    assert.equal(await lifetimeOf(user), REMEMBER_TTL)
  })

  test('422 for a value that is neither true nor false', async ({ assert }) => {
    const { response } = await signIn({ remember: 'for ever' })
    assert.equal(response.status, 422)
  })

  test('a changed password leaves a remembered session remembered', async ({ assert }) => {
    const tick = stopClock()
    const { user, visitor } = await signIn({ remember: true })
    tick(60)
    await visitor.send('/account/password', {
      current_password: FACTORY_PASSWORD,
      password: 'quite another secret',
      password_confirmation: 'quite another secret',
    })
    assert.isTrue(await isSignedIn(visitor))
    assert.equal(await lifetimeOf(user), REMEMBER_TTL - 60)
  })

  test('nobody inherits the end of the session of {who}')
    .with([
      { who: 'another user', same: false },
      { who: 'a login that asked for it, who signs in without', same: true },
    ])
    .run(async ({ assert }, { same }) => {
      const { user, visitor } = await signIn({ remember: true })
      const other = same ? user : await UserFactory.create()
      await signIn({}, other, visitor)
      assert.equal(await lifetimeOf(other), TTL)
    })
})

test.group('SessionConfig | rememberTtl', () => {
  test('is 30 days unless it is set, and a number above 0', ({ assert }) => {
    assert.equal(defineConfig().rememberTtl, REMEMBER_TTL)
    assert.equal(defineConfig({ rememberTtl: 60 }).rememberTtl, 60)
    assert.throws(() => defineConfig({ rememberTtl: 0 }), /"rememberTtl" must be a number above 0/)
  })
})
