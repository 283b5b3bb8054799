import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import hash from '@adonisjs/core/services/hash'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import type User from '#models/user'
import { authManager, configure, countHashes } from '#starter/helpers/passwords'
import { replaceForTest, wrapForTest } from '#starter/helpers/replace'
import { interceptTokens } from '#starter/helpers/reset_tokens'
import { travel } from '#starter/helpers/time'
import { Visitor, isSignedIn, signedIn } from '#starter/helpers/visitor'

const NEW_PASSWORD = 'quite another secret'
const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** A fresh reset token of a user. */
async function tokenFor(user: User) {
  const delivered = await interceptTokens()
  const manager = await authManager()
  await manager.broker().sendResetLink(user.email)
  return delivered[0]!.token
}

/** A user with a fresh reset token. */
async function userWithToken() {
  const user = await UserFactory.create()
  return { user, token: await tokenFor(user) }
}

function reset(fields: Record<string, unknown>, visitor = new Visitor()) {
  return visitor.post('/password/reset', { json: { password: NEW_PASSWORD, ...fields } })
}

async function loginStatus(user: User, password: string) {
  const response = await new Visitor().login(user.email, password)
  return response.status
}

test.group('POST /password/reset', () => {
  test('200 {"status": "password reset"}; the new password works and the old one does not', async ({
    assert,
  }) => {
    const { user, token } = await userWithToken()
    const response = await reset({ email: user.email, token })
    assert.equal(response.status, 200)
    assert.equal(await response.text(), JSON.stringify({ status: 'password reset' }))
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal(await loginStatus(user, NEW_PASSWORD), 200)
    assert.equal(await loginStatus(user, FACTORY_PASSWORD), 401)
  })

  test('the new password is hashed once, at the configured cost', async ({ assert }) => {
    const { user, token } = await userWithToken()
    const hashes = await countHashes(() => reset({ email: user.email, token }))
    assert.equal(hashes, 1)
    await user.refresh()
    const { config } = await authManager()
    assert.match(user.password, new RegExp(`^\\$bcrypt\\$v=98\\$r=${config.bcryptRounds}\\$`))
    assert.isTrue(await hash.verify(user.password, NEW_PASSWORD))
  })

  test('it ends every session of the user, the one that asked too, and no other', async ({
    assert,
  }) => {
    const { user, token } = await userWithToken()
    const other = await UserFactory.create()
    const [laptop, phone, stranger] = [new Visitor(), new Visitor(), new Visitor()]
    await laptop.login(user.email, FACTORY_PASSWORD)
    await phone.login(user.email, FACTORY_PASSWORD)
    await stranger.login(other.email, FACTORY_PASSWORD)

    const response = await laptop.send('/password/reset', {
      email: user.email,
      token,
      password: NEW_PASSWORD,
    })
    assert.equal(response.status, 200)
    for (const [visitor, status] of [
      [laptop, 401],
      [phone, 401],
      [stranger, 200],
    ] as const) {
      const me = await visitor.get('/api/me')
      assert.equal(me.status, status)
    }
  })

  test('a failure between the new password and the end leaves no session, and the token works again', async ({
    assert,
  }) => {
    const { user, token } = await userWithToken()
    const { visitor: stranger } = await signedIn(user)
    const { accountAccess } = await authManager()
    const restore = replaceForTest(accountAccess, 'recover', async () => {
      throw new Error('the database is gone')
    })
    const failed = await reset({ email: user.email, token })
    assert.equal(failed.status, 500)
    const me = await stranger.get('/api/me')
    assert.equal(me.status, 401)

    restore()
    const repeated = await reset({ email: user.email, token })
    assert.equal(repeated.status, 200)
    assert.equal(await loginStatus(user, NEW_PASSWORD), 200)
  })

  test('a login with the old password that is under way opens no session', async ({
    assert,
    cleanup,
  }) => {
    const { user, token } = await userWithToken()
    const { hasher } = await authManager()
    /* The reset falls between the look at the old hash and the session. */
    const restore = wrapForTest(hasher, 'verify', (verify) => async (hashed, password) => {
      const right = await verify(hashed, password)
      restore()
      const response = await reset({ email: user.email, token })
      assert.equal(response.status, 200)
      return right
    })
    const failed: unknown[] = []
    cleanup(
      emitter.on('auth:login_failed', ({ credentials }) => void failed.push(credentials.email))
    )
    const visitor = new Visitor()
    const login = await visitor.login(user.email, FACTORY_PASSWORD)
    assert.equal(login.status, 401)
    assert.deepEqual(failed, [user.email])
    assert.lengthOf(await db.from('sessions').where('user_id', String(user.id)), 0)
    const me = await visitor.get('/api/me')
    assert.equal(me.status, 401)
  })

  test('400 invalid_grant for every token that is not right, in the same words', async ({
    assert,
  }) => {
    const { user, token } = await userWithToken()
    const other = await UserFactory.create()
    const inactive = await userWithToken()
    await inactive.user.merge({ isActive: false }).save()
    const gone = await userWithToken()
    await gone.user.delete()

    const bodies = new Set<string>()
    for (const fields of [
      { email: user.email, token: 'wrong' },
      { email: user.email, token: `${token} ` },
      { email: user.email, token: 'x'.repeat(900_000) },
      { email: user.email, token: 'nul\u0000' },
      { email: other.email, token },
      { email: 'nobody@example.com', token },
      { email: inactive.user.email, token: inactive.token },
      { email: gone.user.email, token: gone.token },
    ]) {
      const response = await reset(fields)
      assert.equal(response.status, 400, JSON.stringify(fields).slice(0, 80))
      assert.equal(response.headers.get('cache-control'), 'no-store')
      assert.equal(response.headers.get('pragma'), 'no-cache')
      bodies.add(await response.text())
    }
    assert.deepEqual(
      [...bodies].map((body) => JSON.parse(body)),
      [
        {
          error: 'invalid_grant',
          error_description: 'The reset token is invalid, expired or used.',
        },
      ]
    )
  })

  test('a wrong guess does not consume the token', async ({ assert }) => {
    const { user, token } = await userWithToken()
    const wrong = await reset({ email: user.email, token: 'wrong' })
    assert.equal(wrong.status, 400)
    const right = await reset({ email: user.email, token })
    assert.equal(right.status, 200)
  })

  test('a token that is wrong, too old or used ends no session', async ({ assert }) => {
    const { user, token } = await userWithToken()
    const { visitor } = await signedIn(user)
    const assertEndsNone = async (sent: string, browser = visitor) => {
      assert.equal((await reset({ email: user.email, token: sent })).status, 400)
      assert.isTrue(await isSignedIn(browser))
    }
    await assertEndsNone('wrong')
    travel(60 * 60)
    await assertEndsNone(token)
    const again = await tokenFor(user)
    assert.equal((await reset({ email: user.email, token: again })).status, 200)
    const next = new Visitor()
    await next.login(user.email, NEW_PASSWORD)
    await assertEndsNone(again, next)
  })

  test('a token works once, also when it is sent many times at once', async ({ assert }) => {
    const { user, token } = await userWithToken()
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        reset({ email: user.email, token, password: `${NEW_PASSWORD} ${index}` })
      )
    )
    const statuses = responses.map((response) => response.status)
    assert.deepEqual([...statuses].sort(), [200, 400, 400, 400, 400, 400])
    const winner = statuses.indexOf(200)
    assert.equal(await loginStatus(user, `${NEW_PASSWORD} ${winner}`), 200)
  })

  test('older than 60 minutes is invalid_grant and deleted', async ({ assert }) => {
    const { user, token } = await userWithToken()
    travel(60 * 60)
    const response = await reset({ email: user.email, token })
    assert.equal(response.status, 400)
    const rows = await db.from('password_reset_tokens').where('email', user.email)
    assert.lengthOf(rows, 0)
  })

  test('nothing is hashed for a token that is not right, whether or not the e-mail is known', async ({
    assert,
  }) => {
    const { user } = await userWithToken()
    for (const email of [user.email, 'nobody@example.com']) {
      const hashes = await countHashes(() => reset({ email, token: 'wrong' }))
      assert.equal(hashes, 0)
    }
  })

  test('422 that names the field, and the token is not consumed', async ({ assert }) => {
    const { user, token } = await userWithToken()
    const valid = { email: user.email, token, password: NEW_PASSWORD }
    const cases: [Record<string, unknown>, string][] = [
      [{ email: undefined }, 'email'],
      [{ email: 'no address' }, 'email'],
      [{ email: [user.email] }, 'email'],
      [{ token: undefined }, 'token'],
      [{ token: '' }, 'token'],
      [{ token: [token] }, 'token'],
      [{ password: undefined }, 'password'],
      [{ password: '' }, 'password'],
      [{ password: 12345678 }, 'password'],
      [{ password: '1234567' }, 'password'],
      [{ password: '🔑🔑🔑🔑' }, 'password'],
      [{ password: 'x'.repeat(1025) }, 'password'],
      [{ password_confirmation: 'another one' }, 'password_confirmation'],
    ]
    for (const [fields, field] of cases) {
      const response = await reset({ ...valid, ...fields })
      assert.equal(response.status, 422, JSON.stringify(fields).slice(0, 80))
      const { errors } = (await response.json()) as { errors: { field: string }[] }
      assert.deepEqual(
        errors.map((error) => error.field),
        [field]
      )
    }
    const response = await reset(valid)
    assert.equal(response.status, 200)
  })

  test('a password of 8 characters, of 1,024 of any script, and every byte of it counts', async ({
    assert,
  }) => {
    for (const password of [
      'kd02m-x9',
      '🔑'.repeat(1024),
      ` ${'ä'.repeat(100)}x `,
      'a null \u0000 byte',
    ]) {
      const { user, token } = await userWithToken()
      const response = await reset({ email: user.email, token, password })
      assert.equal(response.status, 200)
      assert.equal(await loginStatus(user, password), 200)
      const shorter = [...password].slice(0, -1).join('')
      assert.equal(await loginStatus(user, shorter), 401)
      assert.equal(await loginStatus(user, `${shorter}b`), 401)
    }
  })

  test('405 with Allow for another method', async ({ assert }) => {
    const response = await new Visitor().request('DELETE', '/password/reset')
    assert.equal(response.status, 405)
    assert.equal(response.headers.get('allow'), 'GET, HEAD, POST')
  })
})

test.group('Password reset | page', () => {
  async function openForm(email: string, token: string) {
    const visitor = new Visitor()
    const path = `/password/reset?${new URLSearchParams({ token, email })}`
    const response = await visitor.get(path, { headers: PAGE })
    return { visitor, path, response }
  }

  function submit(visitor: Visitor, fields: Record<string, string>) {
    return visitor.post('/password/reset', {
      form: { password_confirmation: fields.password!, _token: visitor.csrfToken, ...fields },
      headers: PAGE,
    })
  }

  async function sessionContents() {
    return JSON.stringify(await db.from('sessions').select('data'))
  }

  test('the link opens a form, and its address is told to nobody', async ({ assert }) => {
    const { user, token } = await userWithToken()
    const { response } = await openForm(user.email, token)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('referrer-policy'), 'strict-origin')
    assert.equal(response.headers.get('cache-control'), 'no-store')
    const page = await response.text()
    assert.include(page, `name="token" value="${token}"`)
    assert.include(page, user.email)
    assert.notMatch(page, /(src|href)="(https?:)?\/\//)
  })

  test('what the address says is escaped', async ({ assert }) => {
    const { visitor } = await openForm('"><script>alert(1)</script>', '"><img src=x>')
    const page = await (await visitor.get('/password/forgot', { headers: PAGE })).text()
    assert.include(page, 'value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"')
    assert.notInclude(page, '<script>alert')
    assert.notInclude(page, '<img')
  })

  test('the form sets the password and asks for a sign-in', async ({ assert }) => {
    const { user, token } = await userWithToken()
    const { visitor } = await openForm(user.email, token)
    const response = await submit(visitor, { email: user.email, token, password: NEW_PASSWORD })
    assert.equal(response.status, 302)
    assert.equal(response.headers.get('location'), '/login')
    const login = await (await visitor.get('/login', { headers: PAGE })).text()
    assert.include(login, 'Your password has been changed')
    assert.include(login, `value="${user.email}"`)
    assert.equal(await loginStatus(user, NEW_PASSWORD), 200)
  })

  test('whoever was led to the sign-in goes on to their page after it', async ({ assert }) => {
    const { user, token } = await userWithToken()
    const { visitor } = await openForm(user.email, token)
    await visitor.get('/account/sessions?page=2', { headers: PAGE })
    await submit(visitor, { email: user.email, token, password: NEW_PASSWORD })
    const login = await visitor.post('/login', {
      form: { email: user.email, password: NEW_PASSWORD, _token: visitor.csrfToken },
      headers: PAGE,
    })
    assert.equal(login.headers.get('location'), '/account/sessions?page=2')
  })

  /** Sends two forms, the second while the password of the first is hashed; returns where they lead. */
  async function submitBoth(visitor: Visitor, forms: Record<string, string>[]) {
    const { hasher } = await authManager()
    const [hashing, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    wrapForTest(hasher, 'make', (make) => async (...parameters) => {
      hashing.resolve()
      await sent.promise
      return make(...parameters)
    })
    const token = visitor.csrfToken
    const send = (fields: Record<string, string>) => submit(visitor, { ...fields, _token: token })
    const first = send(forms[0]!)
    await hashing.promise
    await configure({ isBreachedPassword: () => (sent.resolve(), false) })
    const answers = await Promise.all([first, send(forms[1]!)])
    return answers.map(({ headers }) => headers.get('location'))
  }

  test('a second click, while the first is answered and after it, leads where the first does', async ({
    assert,
  }) => {
    const { user, token } = await userWithToken()
    const { visitor } = await openForm(user.email, token)
    const form = { email: user.email, token, password: NEW_PASSWORD, _token: visitor.csrfToken }
    assert.deepEqual(await submitBoth(visitor, [form, form]), ['/login', '/login'])
    const late = await submit(visitor, form)
    assert.equal(late.headers.get('location'), '/login')
    const login = await (await visitor.get('/login', { headers: PAGE })).text()
    assert.include(login, 'Your password has been changed')
    const changes = { user_id: String(user.id), type: 'password_changed' }
    const events = await db.from('security_events').where(changes)
    assert.lengthOf(events, 1)
  })

  test('a form with another password that is sent meanwhile is refused', async ({ assert }) => {
    const { user, token } = await userWithToken()
    const { visitor } = await openForm(user.email, token)
    const form = { email: user.email, token, password: NEW_PASSWORD }
    const other = { ...form, password: `${NEW_PASSWORD} 2` }
    assert.deepEqual(await submitBoth(visitor, [form, other]), ['/login', '/password/forgot'])
    assert.equal(await loginStatus(user, NEW_PASSWORD), 200)
  })

  test('a browser that is signed in as the user is signed out', async ({ assert }) => {
    const { user, token } = await userWithToken()
    const { visitor } = await signedIn(user)
    await submit(visitor, { email: user.email, token, password: NEW_PASSWORD })
    const login = await visitor.get('/login', { headers: PAGE })
    assert.include(await login.text(), 'Your password has been changed')
    const me = await visitor.get('/api/me')
    assert.equal(me.status, 401)
  })

  test('a browser that is signed in as somebody else is signed out, too', async ({ assert }) => {
    const { user, token } = await userWithToken()
    const { visitor } = await openForm(user.email, token)
    const other = await UserFactory.create()
    await visitor.login(other.email, FACTORY_PASSWORD)
    await submit(visitor, { email: user.email, token, password: NEW_PASSWORD })
    const me = await visitor.get('/api/me')
    assert.equal(me.status, 401)
    assert.lengthOf(await db.from('sessions').where('user_id', String(other.id)), 0)
  })

  test('a password that will not do leads back to the form, and the token never enters the session', async ({
    assert,
  }) => {
    const { user, token } = await userWithToken()
    for (const fields of [
      { password: 'short', password_confirmation: 'short' },
      { password: NEW_PASSWORD, password_confirmation: 'another one' },
    ]) {
      const { visitor, path } = await openForm(user.email, token)
      const response = await submit(visitor, { email: user.email, token, ...fields })
      assert.equal(response.status, 302)
      assert.equal(response.headers.get('location'), path)
      assert.notInclude(await sessionContents(), token)
      assert.notInclude(await sessionContents(), fields.password)
      const form = await visitor.get(path, { headers: PAGE })
      assert.include(await form.text(), 'class="field-error"')
    }
    const { visitor } = await openForm(user.email, token)
    const response = await submit(visitor, { email: user.email, token, password: NEW_PASSWORD })
    assert.equal(response.headers.get('location'), '/login')
  })

  test('a token that does not work leads to the form that asks for another one', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const { visitor } = await openForm(user.email, 'wrong')
    const response = await submit(visitor, {
      email: user.email,
      token: 'wrong',
      password: NEW_PASSWORD,
    })
    assert.equal(response.status, 302)
    assert.equal(response.headers.get('location'), '/password/forgot')
    const form = await (await visitor.get('/password/forgot', { headers: PAGE })).text()
    assert.include(form, 'This link does not work')
    assert.include(form, `value="${user.email}"`)
  })

  test('so does a link whose token is wrong, used or expired', async ({ assert }) => {
    const { user, token } = await userWithToken()
    const locationOf = async (email: string, sent: string) => {
      const { response } = await openForm(email, sent)
      return response.headers.get('location')
    }
    assert.isNull(await locationOf(user.email, token))
    const used = await userWithToken()
    await reset({ email: used.user.email, token: used.token })
    for (const [email, sent] of [
      [user.email, `${token}x`],
      [user.email, used.token],
      ['nobody@example.com', token],
      [used.user.email, used.token],
    ] as const) {
      assert.equal(await locationOf(email, sent), '/password/forgot')
    }
    travel(60 * 60)
    assert.equal(await locationOf(user.email, token), '/password/forgot')
  })

  test('an address that is not whole leads there too', async ({ assert }) => {
    for (const path of [
      '/password/reset',
      '/password/reset?token=x',
      '/password/reset?email=a@example.com',
      '/password/reset?token[]=x&email=a@example.com',
      '/password/reset?token=x&token=y&email=a@example.com',
      '/password/reset?token=x&email=%00',
    ]) {
      const response = await new Visitor().get(path, { headers: PAGE })
      assert.equal(response.status, 302, path)
      assert.equal(response.headers.get('location'), '/password/forgot')
      assert.equal(response.headers.get('referrer-policy'), 'strict-origin')
    }
    const incomplete = await submit(new Visitor(), { password: NEW_PASSWORD })
    assert.equal(incomplete.headers.get('location'), '/password/forgot')
  })

  test('an expired form is refused, and the token is not consumed', async ({ assert }) => {
    const { user, token } = await userWithToken()
    const { visitor } = await openForm(user.email, token)
    const refused = await submit(visitor, {
      email: user.email,
      token,
      password: NEW_PASSWORD,
      _token: 'stale',
    })
    assert.equal(refused.status, 403)
    const response = await reset({ email: user.email, token })
    assert.equal(response.status, 200)
  })
})

test.group('Password routes', () => {
  test('they exist because config/auth.ts has "passwords"', async ({ assert }) => {
    const router = await app.container.make('router')
    for (const [path, method] of [
      ['/password/email', 'POST'],
      ['/password/reset', 'POST'],
      ['/password/forgot', 'GET'],
      ['/password/reset', 'GET'],
    ]) {
      assert.isNotNull(router.match(path!, method!, false))
    }
  })
})
