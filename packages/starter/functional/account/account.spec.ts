import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import User from '#models/user'
import SessionModel from '#kit/session/models/session'
import { authManager } from '#starter/helpers/passwords'
import { wrapForTest } from '#starter/helpers/replace'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
/** Where forms of strangers are sent. */
const FORMS = ['/login', '/register', '/password/email']

function account(fields: Record<string, unknown> = {}) {
  return {
    fullName: 'Ann Example',
    email: `ann-${Math.random().toString(36).slice(2)}@example.com`,
    password: 'a secret of mine',
    password_confirmation: 'a secret of mine',
    ...fields,
  }
}

test.group('POST /register', () => {
  test('201 with the user for a program, which is not signed in by it', async ({ assert }) => {
    const body = account()
    const visitor = new Visitor()
    const response = await visitor.post('/register', { json: body })
    assert.equal(response.status, 201)
    const user = await User.findByOrFail('email', body.email)
    assert.deepEqual(await response.json(), {
      user: { id: user.id, email: body.email, full_name: 'Ann Example' },
    })
    assert.lengthOf(response.setCookies, 0)
  })

  test('the password is stored as a bcrypt hash at the configured cost', async ({ assert }) => {
    const body = account()
    await new Visitor().post('/register', { json: body })
    const user = await User.findByOrFail('email', body.email)
    const manager = await app.container.make('auth_manager')
    const rounds = manager.config.bcryptRounds
    assert.match(user.password, new RegExp(`^\\$bcrypt\\$v=98\\$r=${rounds}\\$`))
    assert.isTrue(user.isActive)
  })

  test('e-mail addresses are kept and compared in lower case', async ({ assert }) => {
    const body = account()
    const upper = { ...body, email: ` ${body.email.toUpperCase()} ` }
    await new Visitor().post('/register', { json: upper })
    const again = await new Visitor().post('/register', { json: body })
    assert.equal(again.status, 422)
    const login = await new Visitor().login(upper.email, body.password)
    assert.equal(login.status, 200)
  })

  test('a name of spaces is none', async ({ assert }) => {
    for (const fullName of ['', '   ', '\n\u3000']) {
      const response = await new Visitor().post('/register', { json: account({ fullName }) })
      assert.isNull(((await response.json()) as any).user.full_name)
    }
  })

  test('422 that names every field that is not right', async ({ assert }) => {
    const cases: [Record<string, unknown>, string][] = [
      [{ email: undefined }, 'email'],
      [{ email: 'no address' }, 'email'],
      [{ email: ['a@example.com'] }, 'email'],
      [{ email: `${'a'.repeat(250)}@example.com` }, 'email'],
      [{ email: 'a\u0000b@example.com' }, 'email'],
      [{ email: '"a\nb"@example.com' }, 'email'],
      [{ email: 'a\u200b@example.com' }, 'email'],
      [{ email: 'a@exam\u00adple.com' }, 'email'],
      [{ password: undefined }, 'password'],
      [{ password: 'short', password_confirmation: 'short' }, 'password'],
      [{ password: 'a secret', password_confirmation: 'another one' }, 'password_confirmation'],
      [{ password_confirmation: undefined }, 'password_confirmation'],
      [{ password: 'x'.repeat(1025), password_confirmation: 'x'.repeat(1025) }, 'password'],
      [{ password: 12345678, password_confirmation: 12345678 }, 'password'],
      [{ fullName: 'x'.repeat(256) }, 'fullName'],
      [{ fullName: 'a\u0000b' }, 'fullName'],
      [{ fullName: `Ann ${'\u0335'.repeat(9)}` }, 'fullName'],
      [{ full_name: 'Ann \u202eevil' }, 'full_name'],
      [{ fullName: '\u200b' }, 'fullName'],
      [{ fullName: { $ne: 1 } }, 'fullName'],
    ]
    for (const [fields, field] of cases) {
      const response = await new Visitor().post('/register', { json: account(fields) })
      assert.equal(response.status, 422, JSON.stringify(fields).slice(0, 80))
      const { errors } = (await response.json()) as { errors: { field: string }[] }
      assert.include(
        errors.map((error) => error.field),
        field
      )
    }
  })

  test('a quoted spelling of an address is none, wherever one is typed', async ({ assert }) => {
    for (const email of ['"ann"@example.com', '"a\\nn"@example.com', '" "@example.com']) {
      for (const path of ['/register', '/login', '/password/email', '/password/reset']) {
        const json = { ...account({ email }), token: 'x' }
        const response = await new Visitor().post(path, { json })
        assert.equal(response.status, 422, `${path} ${email}`)
        const { errors } = (await response.json()) as { errors: { field: string; rule: string }[] }
        assert.containsSubset(errors, [{ field: 'email', rule: 'email' }])
      }
    }
  })

  test('a domain has one spelling in letters, that of name servers, wherever an address is typed', async ({
    assert,
  }) => {
    const others = [
      '\u24d2orp.com',
      'corp\u3002co.uk',
      'corp.co\uff61uk',
      'co\u034frp.com',
      '\u017f.com',
    ]
    const unseen = ['a\u2800nn', 'a\u3164nn', 'a\u2028nn', 'a\u00a0nn']
    const refused = others.map((domain) => `ann@${domain}`)
    for (const email of refused.concat(unseen.map((name) => `${name}@corp.com`))) {
      for (const path of ['/register', '/login', '/password/email', '/password/reset']) {
        const json = { ...account({ email }), token: 'x' }
        const response = await new Visitor().post(path, { json })
        assert.equal(response.status, 422, `${path} ${email}`)
        const { errors } = (await response.json()) as { errors: { field: string }[] }
        assert.containsSubset(errors, [{ field: 'email' }])
      }
    }
    for (const domain of ['B\u00dccher.example', 'fa\u00df.example', 'xn--bcher-kva.example']) {
      const json = { email: `ann.${crypto.randomUUID()}@${domain}` }
      const response = await new Visitor().post('/password/email', { json })
      assert.equal(response.status, 200, domain)
    }
  })

  test('422 for a body that is not valid JSON, and for none', async ({ assert }) => {
    for (const body of ['{bad', '{"open', '[]', '"text"', 'null', '']) {
      const response = await new Visitor().post('/register', {
        body,
        headers: { 'content-type': 'application/json' },
      })
      assert.equal(response.status, 422, body)
      assert.isArray(((await response.json()) as any).errors)
    }
  })

  test('fields that are not asked for are not written', async ({ assert }) => {
    const body = account({ isActive: false, is_active: false, id: 4711 })
    await new Visitor().post('/register', { json: body })
    const user = await User.findByOrFail('email', body.email)
    assert.isTrue(user.isActive)
    assert.notEqual(user.id, 4711)
  })

  test('of two registrations of one address at once, one is refused with 422', async ({
    assert,
  }) => {
    const body = account()
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => new Visitor().post('/register', { json: body }))
    )
    const statuses = responses.map((response) => response.status).sort()
    assert.deepEqual(statuses, [201, 422, 422, 422, 422])
  })

  test('every byte of a long password counts, and spaces belong to it', async ({ assert }) => {
    const long = 'ä'.repeat(100)
    const body = account({ password: ` ${long}x `, password_confirmation: ` ${long}x ` })
    await new Visitor().post('/register', { json: body })
    const right = await new Visitor().login(body.email, ` ${long}x `)
    assert.equal(right.status, 200)
    for (const wrong of [` ${long}y `, `${long}x`, ` ${long}`]) {
      const response = await new Visitor().login(body.email, wrong)
      assert.equal(response.status, 401)
    }
  })
})

test.group('POST /login', () => {
  test('200 with the user and both session cookies', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = new Visitor()
    const response = await visitor.login(user.email, FACTORY_PASSWORD)
    assert.equal(response.status, 200)
    assert.deepEqual(await response.json(), {
      user: { id: user.id, email: user.email, full_name: user.fullName },
    })
    assert.sameMembers(visitor.sessionCookies, ['service_session', 'XSRF-TOKEN'])
  })

  test('401 invalid_session, the same for a wrong password, an unknown address and an inactive user', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const inactive = await UserFactory.merge({ isActive: false }).create()
    const bodies = new Set<string>()
    for (const [email, password] of [
      [user.email, 'wrong password'],
      ['nobody@example.com', FACTORY_PASSWORD],
      [inactive.email, FACTORY_PASSWORD],
      [user.email, 'x'.repeat(2000)],
    ]) {
      const response = await new Visitor().login(email!, password!)
      assert.equal(response.status, 401)
      assert.equal(response.headers.get('www-authenticate'), 'Bearer')
      assert.equal(response.headers.get('cache-control'), 'no-store')
      assert.lengthOf(response.setCookies, 0)
      bodies.add(await response.text())
    }
    assert.lengthOf([...bodies], 1)
    assert.include([...bodies][0], '"error":"invalid_session"')
  })

  test('whoever is deactivated during the sign-in has no session when they are activated again', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const { hasher } = await authManager()
    wrapForTest(hasher, 'verify', (verify) => async (hashed, password) => {
      const isRight = await verify(hashed, password)
      await User.query().where({ id: user.id }).update({ isActive: false })
      return isRight
    })
    assert.equal((await new Visitor().login(user.email, FACTORY_PASSWORD)).status, 401)
    assert.isNull(await SessionModel.query().where('user_id', String(user.id)).first())
  })

  test('every failure costs one hash comparison', async ({ assert }) => {
    const manager = await app.container.make('auth_manager')
    const user = await UserFactory.create()
    const inactive = await UserFactory.merge({ isActive: false }).create()
    const verify = manager.hasher.verify
    let count = 0
    manager.hasher.verify = (...args) => {
      count++
      return verify.apply(manager.hasher, args)
    }
    const counts = []
    for (const email of [user.email, inactive.email, 'nobody@example.com']) {
      count = 0
      await new Visitor().login(email, 'wrong password')
      counts.push(count)
    }
    manager.hasher.verify = verify
    assert.deepEqual(counts, [1, 1, 1])
  })

  test('422 without an address or a password', async ({ assert }) => {
    for (const json of [{}, { email: 'a@example.com' }, { password: 'x' }, { email: 1 }]) {
      const response = await new Visitor().post('/login', { json })
      assert.equal(response.status, 422)
    }
  })

  test('a hash that costs less than the configured one is renewed', async ({ assert }) => {
    const manager = await app.container.make('auth_manager')
    const user = await UserFactory.create()
    const needsReHash = manager.hasher.needsReHash
    manager.hasher.needsReHash = () => true
    await new Visitor().login(user.email, FACTORY_PASSWORD)
    manager.hasher.needsReHash = needsReHash

    const renewed = await User.findOrFail(user.id)
    assert.notEqual(renewed.password, user.password)
    const response = await new Visitor().login(user.email, FACTORY_PASSWORD)
    assert.equal(response.status, 200)
  })
})

test.group('POST /logout', () => {
  test('200, and again 200 without a session', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = new Visitor()
    await visitor.login(user.email, FACTORY_PASSWORD)
    const response = await visitor.post('/logout', { csrf: true })
    assert.equal(response.status, 200)
    assert.deepEqual(await response.json(), { user: null })
    const again = await visitor.post('/logout')
    assert.equal(again.status, 200)
  })
})

test.group('GET /api/me', () => {
  test('says who calls, through which guard, and with which scopes', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = new Visitor()
    await visitor.login(user.email, FACTORY_PASSWORD)
    const response = await visitor.get('/api/me')
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.deepEqual(await response.json(), {
      user: { id: user.id, email: user.email, full_name: user.fullName },
      guard: 'web',
      scopes: ['*'],
      client_id: null,
    })
  })

  test('401 with a Bearer challenge for a stranger', async ({ assert }) => {
    const response = await new Visitor().get('/api/me')
    assert.equal(response.status, 401)
    assert.equal(response.headers.get('www-authenticate'), 'Bearer')
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal(response.headers.get('pragma'), 'no-cache')
    assert.properties(await response.json(), ['error', 'error_description'])
  })
})

test.group('Account pages', () => {
  test('registering signs in; sign out, sign in and account work as plain forms', async ({
    assert,
  }) => {
    const body = account()
    const visitor = new Visitor()
    const token = async (path: string) => {
      const response = await visitor.get(path, { headers: PAGE })
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('cache-control'), 'no-store')
      return /name="_token" value="([^"]+)"/.exec(await response.text())![1]!
    }

    const registered = await visitor.post('/register', {
      form: { ...body, _token: await token('/register') } as Record<string, string>,
      headers: PAGE,
    })
    assert.equal(registered.status, 302)
    assert.equal(registered.headers.get('location'), '/account')
    await visitor.post('/logout', { form: { _token: await token('/account') }, headers: PAGE })

    const signedIn = await visitor.post('/login', {
      form: { email: body.email, password: body.password, _token: await token('/login') },
      headers: PAGE,
    })
    assert.equal(signedIn.headers.get('location'), '/account')

    const page = await visitor.get('/account', { headers: PAGE })
    assert.include(await page.text(), body.email)

    const signedOut = await visitor.post('/logout', {
      form: { _token: await token('/account') },
      headers: PAGE,
    })
    assert.equal(signedOut.headers.get('location'), '/login')
    const out = await visitor.get('/account', { headers: PAGE })
    assert.equal(out.headers.get('location'), '/login')
  })

  test('a failed sign-in shows one message, keeps the address and never the password', async ({
    assert,
  }) => {
    const visitor = new Visitor()
    const failed = await visitor.post('/login', {
      form: { email: 'nobody@example.com', password: 'my secret attempt' },
      headers: PAGE,
    })
    assert.equal(failed.status, 302)
    const [{ data }] = await db.from('sessions').orderBy('created_at', 'desc').limit(1)
    assert.notInclude(data, 'my secret attempt')

    const page = await visitor.get('/login', { headers: PAGE })
    const html = await page.text()
    assert.include(html, 'The e-mail address or the password is wrong.')
    assert.include(html, 'value="nobody@example.com"')
  })

  test('a form that is not right comes back with its messages, escaped, without its secrets', async ({
    assert,
  }) => {
    const visitor = new Visitor()
    const failed = await visitor.post('/register', {
      form: {
        ...account({ email: '"><script>alert(1)</script>', password: 'short' }),
      } as Record<string, string>,
      headers: { ...PAGE, referer: await serverUrl('/register') },
    })
    assert.equal(failed.status, 302)
    assert.match(failed.headers.get('location')!, /\/register$/)
    const [{ data }] = await db.from('sessions').orderBy('created_at', 'desc').limit(1)
    assert.notInclude(data, 'a secret of mine')

    const page = await visitor.get('/register', { headers: PAGE })
    const html = await page.text()
    assert.include(html, 'aria-invalid="true"')
    assert.notInclude(html, '<script>')
  })

  test('a stranger is sent to the sign-in page, and on to where they wanted to go', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const visitor = new Visitor()
    const refused = await visitor.get('/account?tab=1', { headers: PAGE })
    assert.equal(refused.status, 302)
    assert.equal(refused.headers.get('location'), '/login')
    const signedIn = await visitor.post('/login', {
      form: { email: user.email, password: FACTORY_PASSWORD, _token: visitor.csrfToken },
      headers: PAGE,
    })
    assert.equal(signedIn.headers.get('location'), '/account?tab=1')
  })

  test('a visitor to a protected page leaves no session behind', async ({ assert }) => {
    await SessionModel.query().delete()
    const visitor = new Visitor()
    const { setCookies } = await visitor.get('/account?tab=1', { headers: PAGE })
    assert.deepEqual([...visitor.cookies.keys()], ['intended_url'])
    assert.match(
      setCookies[0]!,
      /^intended_url=s%3A[^;]+; Max-Age=1800; Path=\/; HttpOnly; SameSite=Lax$/
    )
    assert.lengthOf(await SessionModel.all(), 0)
  })

  test('a visit by Inertia leads back as any other, and a request of a script nowhere', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const script = { ...PAGE, 'x-requested-with': 'XMLHttpRequest' }
    for (const [headers, page] of [
      [{ ...script, 'x-inertia': 'true' }, '/account/sessions'],
      [script, '/account'],
    ] as const) {
      const visitor = new Visitor()
      const refused = await visitor.get('/account/sessions', { headers })
      assert.equal(refused.headers.get('location'), '/login')
      const form = { email: user.email, password: FACTORY_PASSWORD, _token: visitor.csrfToken }
      const signedIn = await visitor.post('/login', { form, headers: PAGE })
      assert.equal(signedIn.headers.get('location'), page)
    }
  })

  test('where a visitor wanted to go is used once', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = new Visitor()
    await visitor.get('/account?tab=1', { headers: PAGE })
    const signIn = async () => {
      const response = await visitor.post('/login', {
        form: { email: user.email, password: FACTORY_PASSWORD, _token: visitor.csrfToken },
        headers: PAGE,
      })
      return response.headers.get('location')
    }
    assert.deepEqual([await signIn(), await signIn()], ['/account?tab=1', '/account'])
  })

  test('an address that another site chose, or one that is too long, is not returned to', async ({
    assert,
    client,
  }) => {
    const user = await UserFactory.create()
    for (const address of [
      'https://evil.example.com/',
      '//evil.example.com/',
      '/\\evil.example.com/',
      '/\t/evil.example.com/',
      'javascript:alert(1)',
    ]) {
      const response = await client
        .post('/login')
        .header('accept', PAGE.accept)
        .withCookie('intended_url', address)
        .redirects(0)
        .form({ email: user.email, password: FACTORY_PASSWORD })
      assert.equal(response.header('location'), '/account', address)
    }
    const visitor = new Visitor()
    await visitor.get(`/account?${'x'.repeat(3000)}`, { headers: PAGE })
    assert.equal(visitor.cookies.size, 0)
  })

  test('a form keeps only the fields that it declares, and none of more than 1 KiB', async ({
    assert,
  }) => {
    await SessionModel.query().delete()
    const form = new FormData()
    form.set('email', 'no address')
    form.set('fullName', 'x'.repeat(1100))
    form.set('password', 'a secret of mine')
    for (let index = 0; index < 20; index++) {
      form.set(`field_${index}`, 'x'.repeat(90_000))
    }
    const response = await new Visitor().post('/register', { body: form, headers: PAGE })
    assert.equal(response.status, 302)
    const { data } = await SessionModel.firstOrFail()
    assert.isBelow(data.length, 2048)
    const { __flash__: flash } = JSON.parse(data)
    assert.equal(flash.email, 'no address')
    assert.notProperty(flash, 'fullName')
    assert.notProperty(flash, 'field_0')
    assert.notInclude(data, 'a secret of mine')
  })

  test('a body that is no form, or cannot be read, sends a person back to the form', async ({
    assert,
  }) => {
    for (const body of ['[]', '"text"', 'null', '', '{bad']) {
      for (const path of FORMS) {
        const response = await new Visitor().post(path, {
          body,
          headers: {
            ...PAGE,
            'content-type': 'application/json',
            'referer': await serverUrl('/login'),
          },
        })
        assert.equal(response.status, 302, `${path} ${body}`)
        assert.match(response.headers.get('location')!, /\/login$/)
      }
    }
  })

  test('no redirect leaves the application', async ({ assert }) => {
    const user = await UserFactory.create()
    for (const path of ['//evil.example.com/account', '/account?next=https://evil.example.com']) {
      const visitor = new Visitor()
      await visitor.get(path, { headers: PAGE })
      const response = await visitor.post('/login?redirect=https://evil.example.com', {
        form: { email: user.email, password: FACTORY_PASSWORD, _token: visitor.csrfToken },
        headers: { ...PAGE, referer: 'https://evil.example.com/' },
      })
      assert.match(response.headers.get('location')!, /^\/account/)
    }
  })
})
