import db from '@adonisjs/lucid/services/db'
import mail from '@adonisjs/mail/services/main'
import { test } from '@japa/runner'

import { ApiToken } from '#kit/api_token/facade'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import SecurityMail from '#kit/accounts/security_mail'
import User from '#models/user'
import { afterReplies, authManager } from '#starter/helpers/passwords'
import { interceptTokens } from '#starter/helpers/reset_tokens'
import { Visitor, signedIn, isSignedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html' }
const NEW_PASSWORD = 'quite another secret'
const CHANGE = {
  current_password: FACTORY_PASSWORD,
  password: NEW_PASSWORD,
  password_confirmation: NEW_PASSWORD,
}

test.group('/account', () => {
  test('a person changes their name, as a page and as JSON', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const json = await visitor.send('/account', { fullName: 'Ann' })
    assert.equal(((await json.json()) as any).user.full_name, 'Ann')
    const form = await visitor.post('/account', {
      form: { fullName: 'Ann Example', _token: visitor.csrfToken },
      headers: PAGE,
    })
    assert.equal(form.headers.get('location'), '/account')
    await user.refresh()
    assert.equal(user.fullName, 'Ann Example')
  })

  test('a program sends "full_name", as answers call it, or "fullName"', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    for (const member of ['full_name', 'fullName']) {
      const json = await visitor.send('/account', { [member]: member })
      assert.deepEqual(await json.json(), {
        user: { id: user.id, email: user.email, full_name: member },
      })
      const long = { [member]: 'x'.repeat(256) }
      const refused = await visitor.send('/account', long)
      const { errors } = (await refused.json()) as any
      assert.include(errors[0], { field: member, rule: 'maxLength' })
      assert.include(errors[0].message, 'Full name')
    }
  })

  test('a program reads who is signed in, as from its change', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const response = await visitor.get('/account')
    assert.deepEqual(await response.json(), {
      user: { id: user.id, email: user.email, full_name: user.fullName },
    })
  })

  test('a name that covers other lines, or turns them around, is refused; who has one from before signs in', async ({
    assert,
  }) => {
    const fullName = `Ann ${'\u0335'.repeat(9)}`
    const user = await UserFactory.merge({ fullName }).create()
    const visitor = new Visitor()
    await visitor.login(user.email, FACTORY_PASSWORD)
    const page = await (await visitor.get('/account', { headers: PAGE })).text()
    assert.include(page, fullName)
    for (const typed of [fullName, 'Ann\u2066', 'Ann\nBob', '\u3164']) {
      const refused = await visitor.send('/account', { full_name: typed })
      const { errors } = (await refused.json()) as any
      assert.include(errors[0], { field: 'full_name', rule: 'regex' })
    }
    for (const typed of ['Nguye\u0302\u0303n', 'می‌خواهم', 'क्ष्म्य', 'Ann 👩🏽‍❤️‍💋‍👨🏾']) {
      const json = await visitor.send('/account', { full_name: typed })
      assert.equal(((await json.json()) as any).user.full_name, typed)
    }
  })

  test('an empty name is no name', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    await visitor.post('/account', {
      form: { fullName: '', _token: visitor.csrfToken },
      headers: PAGE,
    })
    await user.refresh()
    assert.isNull(user.fullName)
  })
})

test('{$self} tells password managers whose password it asks for')
  .with(['/confirm', '/account/delete', '/account/email'])
  .run(async ({ assert }, path) => {
    const { user, visitor } = await signedIn()
    const page = await (await visitor.get(path, { headers: PAGE })).text()
    assert.include(page, `autocomplete="username" value="${user.email}" readonly hidden`)
  })

test.group('/account/password', () => {
  test('the form tells password managers whose password changes', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const page = await (await visitor.get('/account/password', { headers: PAGE })).text()
    assert.include(page, `autocomplete="username" value="${user.email}" readonly hidden`)
  })

  test('the current password sets a new one, ends every other session and tells by mail', async ({
    assert,
  }) => {
    const { mails } = mail.fake()
    const { user, visitor } = await signedIn()
    const { visitor: other } = await signedIn(user)
    const oldCookies = new Map(visitor.cookies)

    const response = await visitor.send('/account/password', CHANGE)
    assert.equal(response.status, 200)
    assert.isTrue(await isSignedIn(visitor))
    assert.isFalse(await isSignedIn(other))
    assert.notEqual(visitor.cookies.get('XSRF-TOKEN'), oldCookies.get('XSRF-TOKEN'))

    const login = await new Visitor().login(user.email, NEW_PASSWORD)
    assert.equal(login.status, 200)
    await afterReplies()
    mails.assertSent(SecurityMail, ({ message }) => message.hasTo(user.email))
    mail.restore()
  })

  test('a password is not changed while other sessions cannot be ended', async ({ assert }) => {
    const { visitor } = await signedIn()
    const { store } = (await authManager()).feature('sessions')!
    const { destroyFor } = store
    store.destroyFor = async () => {
      throw new Error('the database is gone')
    }
    const failed = await visitor.send('/account/password', CHANGE)
    store.destroyFor = destroyFor
    assert.equal(failed.status, 500)
    const again = await visitor.send('/account/password', CHANGE)
    assert.equal(again.status, 200)
  })

  test('a session that begins while the others end has ended, too', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const { store } = (await authManager()).feature('sessions')!
    const { destroyFor } = store
    let late: Visitor | undefined
    store.destroyFor = async (...args) => {
      const ended = await destroyFor.apply(store, args)
      late ??= (await signedIn(user)).visitor
      return ended
    }
    await visitor.send('/account/password', CHANGE)
    store.destroyFor = destroyFor
    assert.isFalse(await isSignedIn(late!))
    assert.isTrue(await isSignedIn(visitor))
  })

  test('a link for a forgotten password ends with the password', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const broker = (await authManager()).broker()
    const token = await broker.createToken(user.email)
    const wrong = { ...CHANGE, current_password: 'wrong' }
    await visitor.send('/account/password', wrong)
    assert.isTrue(await broker.accepts({ email: user.email, token: token! }))
    await visitor.send('/account/password', CHANGE)
    const reset = { email: user.email, token, password: 'the secret of a stranger' }
    const response = await new Visitor().send('/password/reset', reset)
    assert.equal(response.status, 400)
    assert.equal(((await response.json()) as any).error, 'invalid_grant')
  })

  test('a wrong current password changes nothing', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const response = await visitor.send('/account/password', {
      ...CHANGE,
      current_password: 'wrong',
    })
    assert.equal(response.status, 422)
    const [{ field, rule }] = ((await response.json()) as any).errors
    assert.deepEqual([field, rule], ['current_password', 'currentPassword'])
    const login = await new Visitor().login(user.email, FACTORY_PASSWORD)
    assert.equal(login.status, 200)
  })

  test('422 for {what}')
    .with([
      { what: 'a short password', body: { password: 'short', password_confirmation: 'short' } },
      { what: 'two passwords that differ', body: { password_confirmation: 'something else' } },
    ])
    .run(async ({ assert }, { body }) => {
      const { visitor } = await signedIn()
      const response = await visitor.send('/account/password', { ...CHANGE, ...body })
      assert.equal(response.status, 422)
    })
})

test.group('/account/delete', () => {
  test('a person is led to the start page, which says so and nothing of theirs is left in the session', async ({
    assert,
  }) => {
    const { user, visitor } = await signedIn()
    const note = 'of somebody who has left'
    await db
      .from('sessions')
      .where('user_id', String(user.id))
      .update({ data: JSON.stringify({ note }) })
    const form = { password: FACTORY_PASSWORD }
    const response = await visitor.post('/account/delete', { form, headers: PAGE, csrf: true })
    assert.equal(response.headers.get('location'), '/')
    const page = await (await visitor.get('/', { headers: PAGE })).text()
    assert.include(page, 'Your account has been deleted.')
    assert.include(page, 'href="/login"')
    assert.isEmpty(await db.from('sessions').where('data', 'like', `%${note}%`))
  })

  test('the password deletes the account; sessions and tokens end at once', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const { visitor: other } = await signedIn(user)
    const { plainText } = await ApiToken.create(user)

    const response = await visitor.send('/account/delete', { password: FACTORY_PASSWORD })
    assert.equal(response.status, 204)
    assert.isNull(await User.find(user.id))
    assert.isFalse(await isSignedIn(visitor))
    assert.isFalse(await isSignedIn(other))
    const headers = { authorization: `Bearer ${plainText}` }
    const api = await new Visitor().get('/api/me', { headers })
    assert.equal(api.status, 401)
  })

  test('its reset link does not open the next account of the address', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const [delivered, { email }] = [await interceptTokens(), user]
    const manager = await authManager()
    await manager.broker().sendResetLink(email)
    await visitor.send('/account/delete', { password: FACTORY_PASSWORD })
    const next = await UserFactory.merge({ email }).create()

    const json = { ...delivered[0], password: 'quite another secret' }
    assert.equal((await new Visitor().post('/password/reset', { json })).status, 400)
    const { password } = next
    await next.refresh()
    assert.equal(next.password, password)
  })

  test('a wrong password deletes nothing', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const response = await visitor.send('/account/delete', { password: 'wrong' })
    assert.equal(response.status, 422)
    assert.isNotNull(await User.find(user.id))
    assert.isTrue(await isSignedIn(visitor))
  })
})

test.group('Who is signed in', () => {
  test('is not shown {path}, and sent to the account')
    .with(['/login', '/register'].map((path) => ({ path })))
    .run(async ({ assert }, { path }) => {
      const { visitor } = await signedIn()
      const page = await visitor.get(path, { headers: PAGE })
      assert.equal(page.status, 302)
      assert.equal(page.headers.get('location'), '/account')
    })
})

test.group('Pages of the account', () => {
  test('{path} asks a stranger to sign in')
    .with(
      ['/account', '/account/password', '/account/tokens', '/account/delete'].map((path) => ({
        path,
      }))
    )
    .run(async ({ assert }, { path }) => {
      const page = await new Visitor().get(path, { headers: PAGE })
      assert.equal(page.status, 302)
      assert.equal(page.headers.get('location'), '/login')
    })
})
