import router from '@adonisjs/core/services/router'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { middleware } from '#start/kernel'
import { limit } from '#starter/helpers/limits'
import { authManager } from '#starter/helpers/passwords'
import { meetForTest } from '#starter/helpers/replace'
import { stopClock } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html' }
const TTL = 900

router
  .group(() => {
    router.get('/', () => 'the vault')
    router.post('/', () => ({ opened: true }))
    router.get('/note', ({ session }) => session.flashMessages.get('note'))
  })
  .prefix('/_test/vault')
  .use([middleware.auth({ guards: ['web', 'api'] }), middleware.confirmed()])

const slowBegan = Promise.withResolvers<void>()
const slowMayEnd = Promise.withResolvers<void>()
router.get('/_test/slow', async ({ session }) => {
  slowBegan.resolve()
  await slowMayEnd.promise
  session.flash('note', 'written')
})

function confirm(visitor: Visitor, password: unknown = FACTORY_PASSWORD) {
  return visitor.send('/confirm', { password })
}

async function isOpen(visitor: Visitor) {
  const response = await visitor.get('/_test/vault')
  return response.status === 200
}

test.group('middleware.confirmed()', () => {
  test('a fresh sign-in counts for confirmationTtl, and so does a confirmation', async ({
    assert,
  }) => {
    const tick = stopClock()
    const { visitor } = await signedIn()
    tick(TTL - 1)
    assert.isTrue(await isOpen(visitor))
    tick(1)
    assert.isFalse(await isOpen(visitor))

    const response = await confirm(visitor)
    assert.equal(response.status, 200)
    assert.deepEqual(await response.json(), { status: 'confirmed' })
    tick(TTL - 1)
    assert.isTrue(await isOpen(visitor))
    tick(1)
    assert.isFalse(await isOpen(visitor))
  })

  test('a program gets 403 confirmation_required, which no cache keeps', async ({ assert }) => {
    const tick = stopClock()
    const { visitor } = await signedIn()
    tick(TTL)
    const response = await visitor.send('/_test/vault')
    assert.equal(response.status, 403)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.deepEqual(await response.json(), {
      error: 'confirmation_required',
      error_description: 'Confirm that it is you, then repeat the request.',
    })
  })

  test('a person is asked, and returns to the page they asked for', async ({ assert }) => {
    const tick = stopClock()
    const { visitor } = await signedIn()
    tick(TTL)
    const refused = await visitor.get('/_test/vault?door=2', { headers: PAGE })
    assert.equal(refused.headers.get('location'), '/confirm')
    const form = await visitor.get('/confirm', { headers: PAGE })
    assert.include(await form.text(), 'autocomplete="current-password"')

    const sendForm = () =>
      visitor.post('/confirm', {
        form: { password: FACTORY_PASSWORD, _token: visitor.csrfToken },
        headers: PAGE,
      })
    assert.equal((await sendForm()).headers.get('location'), '/_test/vault?door=2')
    assert.isTrue(await isOpen(visitor))
    assert.equal((await sendForm()).headers.get('location'), '/account')
  })

  test(
    'a form leads back to the page that it is on, of this host alone, which says to send it again: {referer}'
  )
    .with([
      { referer: '/account/tokens?page=2', back: '/account/tokens?page=2', repeats: true },
      { referer: 'https://evil.example/account', back: '/account', repeats: false },
    ])
    .run(async ({ assert }, { referer, back, repeats }) => {
      const tick = stopClock()
      const { visitor } = await signedIn()
      tick(TTL)
      const { url } = await visitor.get('/health')
      const refused = await visitor.post('/_test/vault', {
        form: { _token: visitor.csrfToken },
        headers: { ...PAGE, referer: new URL(referer, url).href },
      })
      assert.equal(refused.headers.get('location'), '/confirm')
      const confirmed = await visitor.post('/confirm', {
        form: { password: FACTORY_PASSWORD, _token: visitor.csrfToken },
        headers: PAGE,
      })
      assert.equal(confirmed.headers.get('location'), back)
      const page = await (await visitor.get(back, { headers: PAGE })).text()
      assert.equal(page.includes('press the button once more'), repeats)
    })

  test('a wrong password confirms nothing, as JSON and in the form', async ({ assert }) => {
    const tick = stopClock()
    const { visitor } = await signedIn()
    tick(TTL)
    const json = await confirm(visitor, 'wrong')
    assert.equal(json.status, 422)
    assert.equal(((await json.json()) as any).errors[0].field, 'password')
    const form = await visitor.post('/confirm', {
      form: { password: 'wrong', _token: visitor.csrfToken },
      headers: { ...PAGE, referer: '/confirm' },
    })
    assert.equal(form.status, 302)
    assert.isFalse(await isOpen(visitor))
  })

  test('422 for a password that is {what}')
    .with([
      { what: 'missing', password: undefined },
      { what: 'a list', password: [FACTORY_PASSWORD] },
      { what: 'an object', password: { length: 8 } },
    ])
    .run(async ({ assert }, { password }) => {
      const tick = stopClock()
      const { visitor } = await signedIn()
      tick(TTL)
      const response = await visitor.send('/confirm', { password })
      assert.equal(response.status, 422)
      assert.isFalse(await isOpen(visitor))
    })

  test('a confirmation in another session of the same person counts for nothing', async ({
    assert,
  }) => {
    const tick = stopClock()
    const { user, visitor } = await signedIn()
    tick(TTL)
    const { visitor: other } = await signedIn(user)
    await confirm(other)
    assert.isTrue(await isOpen(other))
    assert.isFalse(await isOpen(visitor))
  })

  test("another person's password confirms nothing, also with their e-mail address", async ({
    assert,
  }) => {
    const tick = stopClock()
    const { visitor } = await signedIn()
    const other = await UserFactory.merge({ password: 'of somebody else' }).create()
    tick(TTL)
    const response = await visitor.send('/confirm', {
      email: other.email,
      id: other.id,
      password: 'of somebody else',
    })
    assert.equal(response.status, 422)
    assert.isFalse(await isOpen(visitor))
  })

  test('a confirmation gives the session a new id, and the old one opens nothing', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const thief = new Visitor()
    visitor.cookies.forEach((value, name) => thief.cookies.set(name, value))
    await confirm(visitor)
    assert.notEqual(visitor.cookies.get('service_session'), thief.cookies.get('service_session'))
    assert.isFalse(await isOpen(thief))
    assert.isTrue(await isOpen(visitor))
  })

  test('two confirmations at once leave the person signed in', async ({ assert }) => {
    const { visitor } = await signedIn()
    const { hasher } = await authManager()
    const restore = meetForTest(hasher, 'verify')
    const responses = await Promise.all([confirm(visitor), confirm(visitor)])
    restore()
    for (const { status, setCookies } of responses) {
      assert.equal(status, 200)
      assert.lengthOf(
        setCookies.filter((one) => /^service_session=[^;]+; Max-Age=[1-9]/.test(one)),
        1
      )
    }
    assert.isTrue(await isOpen(visitor))
  })

  test('a request that began before a confirmation keeps its data, and signs nobody out', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const slow = visitor.get('/_test/slow')
    await slowBegan.promise
    await confirm(visitor)
    slowMayEnd.resolve()
    const { setCookies } = await slow
    assert.deepEqual(setCookies, [])
    const response = await visitor.get('/_test/vault/note')
    assert.equal(await response.text(), 'written')
  })

  test('what a guest put into the session is no confirmation after the sign-in', async ({
    assert,
  }) => {
    const tick = stopClock()
    const user = await UserFactory.create()
    const visitor = new Visitor()
    await visitor.get('/login', { headers: PAGE })
    const refused = await confirm(visitor)
    assert.equal(refused.status, 401)
    await visitor.login(user.email, FACTORY_PASSWORD)
    tick(TTL)
    assert.isFalse(await isOpen(visitor))
  })

  test('a token cannot confirm: 403', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const response = await client.get('/_test/vault').withApiToken(user)
    assert.equal(response.status(), 403)
    assert.equal(response.body().error, 'confirmation_required')
  })

  test("a token of one person borrows no confirmation from another's session", async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    const { visitor } = await signedIn()
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const route = '/_test/vault-for-tokens'
    const response = await client.get(route).withApiToken(user).header('cookie', cookie)
    assert.equal(response.status(), 403)
  })

  test('wrong passwords are limited like those of a login', async ({ assert }) => {
    await limit({ failedLogins: { perSubjectAndAddress: { attempts: 2, seconds: 60 } } } as any)
    const { visitor } = await signedIn()
    visitor.cookies.delete('known_device')
    const statuses = []
    for (const password of ['wrong', 'wrong', FACTORY_PASSWORD]) {
      const response = await confirm(visitor, password)
      statuses.push(response.status)
    }
    assert.deepEqual(statuses, [422, 422, 429])
  })

  test('a stranger is asked to sign in', async ({ assert }) => {
    const page = await new Visitor().get('/_test/vault', { headers: PAGE })
    assert.equal(page.headers.get('location'), '/login')
    const form = await new Visitor().get('/confirm', { headers: PAGE })
    assert.equal(form.headers.get('location'), '/login')
  })
})

router
  .get('/_test/vault-for-tokens', () => 'the vault')
  .use([middleware.auth({ guards: ['api'] }), middleware.confirmed()])

test.group('New API tokens', () => {
  test('need a confirmation, as a page and as JSON; the list of a program does not', async ({
    assert,
  }) => {
    const tick = stopClock()
    const { visitor } = await signedIn()
    tick(TTL)
    const page = await visitor.get('/account/tokens', { headers: PAGE })
    assert.equal(page.headers.get('location'), '/confirm')
    const token = { name: 'x', abilities: ['posts:read'] }
    const created = await visitor.send('/api/tokens', token)
    assert.equal(((await created.json()) as any).error, 'confirmation_required')
    const list = await visitor.get('/api/tokens')
    assert.equal(list.status, 200)
  })
})
