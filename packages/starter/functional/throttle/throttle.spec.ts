import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'

import { verifyLogin } from '#kit/auth/password_login'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import User from '#models/user'
import '#starter/helpers/fixtures/session_routes'
import { limit } from '#starter/helpers/limits'
import { authManager, countHashes } from '#starter/helpers/passwords'
import { Visitor } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const LIMITS = {
  failedLogins: {
    perSubjectAndAddress: { attempts: 3, seconds: 60 },
    perAddress: { attempts: 6, seconds: 60 },
  },
}

function login(email: string, password: string, headers: Record<string, string> = {}) {
  return new Visitor().post('/login', { json: { email, password }, headers })
}

async function failToLogin(email: string, times: number, headers?: Record<string, string>) {
  const statuses = []
  for (let attempt = 0; attempt < times; attempt++) {
    const response = await login(email, 'wrong', headers)
    statuses.push(response.status)
  }
  return statuses
}

test.group('Failed logins', () => {
  test('429 throttled with Retry-After when too many have failed, also with the right password', async ({
    assert,
  }) => {
    await limit(LIMITS)
    const user = await UserFactory.create()
    assert.deepEqual(await failToLogin(user.email, 4), [401, 401, 401, 429])
    const response = await login(user.email, FACTORY_PASSWORD)
    assert.equal(response.status, 429)
    assert.match(response.headers.get('retry-after')!, /^[1-9]\d*$/)
    assert.isAtMost(Number(response.headers.get('retry-after')), 60)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal(response.headers.get('pragma'), 'no-cache')
    assert.deepEqual(await response.json(), {
      error: 'throttled',
      error_description: 'Too many attempts. Try again later.',
    })
    assert.lengthOf(response.setCookies, 0)
  })

  test('a browser gets a page', async ({ assert }) => {
    await limit(LIMITS)
    const user = await UserFactory.create()
    await failToLogin(user.email, 3)
    const response = await new Visitor().post('/login', {
      form: { email: user.email, password: FACTORY_PASSWORD },
      headers: PAGE,
    })
    assert.equal(response.status, 429)
    assert.match(response.headers.get('retry-after')!, /^[1-9]\d*$/)
    assert.match(response.headers.get('content-type')!, /^text\/html/)
    assert.include(await response.text(), 'Too many attempts')
  })

  test('no hash is computed for whoever is refused', async ({ assert }) => {
    await limit(LIMITS)
    const user = await UserFactory.create()
    await failToLogin(user.email, 3)
    const hashes = await countHashes(() => login(user.email, FACTORY_PASSWORD))
    assert.equal(hashes, 0)
  })

  test('unknown e-mails are refused after as many failures as known ones', async ({ assert }) => {
    await limit(LIMITS)
    const statuses = await failToLogin('nobody@example.com', 4)
    assert.deepEqual(statuses, [401, 401, 401, 429])
  })

  test('spelling the e-mail otherwise does not help', async ({ assert }) => {
    await limit(LIMITS)
    const user = await UserFactory.create()
    await failToLogin(user.email, 3)
    const response = await login(` ${user.email.toUpperCase()} `, FACTORY_PASSWORD)
    assert.equal(response.status, 429)
  })

  test('another e-mail and another address are not concerned', async ({ assert }) => {
    await limit(LIMITS)
    const [user, colleague] = await UserFactory.createMany(2)
    await failToLogin(user!.email, 3)
    const same = await login(colleague!.email, FACTORY_PASSWORD)
    assert.equal(same.status, 200)
    const elsewhere = await login(user!.email, FACTORY_PASSWORD, {
      'x-forwarded-for': '198.51.100.7',
    })
    assert.equal(elsewhere.status, 200)
  })

  test('an address that fails with many e-mails is refused altogether', async ({ assert }) => {
    await limit(LIMITS)
    const user = await UserFactory.create()
    for (let attempt = 0; attempt < 6; attempt++) {
      await login(`${attempt}@example.com`, 'wrong')
    }
    const response = await login(user.email, FACTORY_PASSWORD)
    assert.equal(response.status, 429)
  })

  test('successful logins and malformed requests never count', async ({ assert }) => {
    await limit(LIMITS)
    const user = await UserFactory.create()
    for (let attempt = 0; attempt < 10; attempt++) {
      const response = await login(user.email, FACTORY_PASSWORD)
      assert.equal(response.status, 200)
      const malformed = await new Visitor().post('/login', { json: { email: user.email } })
      assert.equal(malformed.status, 422)
    }
  })

  test('behind a trusted proxy the address is the one that the proxy saw last', async ({
    assert,
  }) => {
    await limit(LIMITS)
    const user = await UserFactory.create()
    const statuses = []
    for (let attempt = 0; attempt < 4; attempt++) {
      /* The caller wrote the first part itself; the proxy has added where it came from. */
      const [status] = await failToLogin(user.email, 1, {
        'x-forwarded-for': `203.0.113.${attempt}, 198.51.100.7`,
      })
      statuses.push(status)
    }
    assert.deepEqual(statuses, [401, 401, 401, 429])
  })

  test('the addresses of one IPv6 network count as one', async ({ assert }) => {
    await limit(LIMITS)
    const user = await UserFactory.create()
    const statuses = []
    for (let attempt = 0; attempt < 4; attempt++) {
      const [status] = await failToLogin(user.email, 1, {
        'x-forwarded-for': `2001:db8::${attempt}`,
      })
      statuses.push(status)
    }
    assert.deepEqual(statuses, [401, 401, 401, 429])
  })
})

test.group('Known devices', () => {
  const FLOOD = {
    failedLogins: {
      perSubjectAndAddress: { attempts: 2, seconds: 60 },
      perSubject: { attempts: 4, seconds: 60 },
    },
  }

  async function signIn(visitor: Visitor, email: string, password = FACTORY_PASSWORD) {
    const response = await visitor.send('/login', { email, password })
    return response.status
  }

  /** Fails from enough addresses to use up the limit of the e-mail. */
  async function flood(email: string) {
    for (let attempt = 0; attempt < 4; attempt++) {
      await failToLogin(email, 1, { 'x-forwarded-for': `198.51.100.${attempt}` })
    }
  }

  test('strangers cannot lock somebody out of a device that has signed in before', async ({
    assert,
  }) => {
    await limit(FLOOD)
    const user = await UserFactory.create()
    const visitor = new Visitor()
    await signIn(visitor, user.email)
    await visitor.post('/logout', { csrf: true })
    await flood(user.email)
    assert.equal(await signIn(new Visitor(), user.email), 429)
    assert.equal(await signIn(visitor, user.email), 200)
  })

  test('a new password ends the trust in devices, but in the one that has set it', async ({
    assert,
  }) => {
    await limit(FLOOD)
    const user = await UserFactory.create()
    const [laptop, phone] = [new Visitor(), new Visitor()]
    await signIn(laptop, user.email)
    await signIn(phone, user.email)
    const password = 'another secret of mine'
    const changed = await laptop.send('/account/password', {
      current_password: FACTORY_PASSWORD,
      password,
      password_confirmation: password,
    })
    assert.equal(changed.status, 200)
    await signIn(laptop, user.email, password)
    await phone.get('/api/me')
    await flood(user.email)
    assert.equal(await signIn(phone, user.email, password), 429)
    assert.equal(await signIn(laptop, user.email, password), 200)
  })

  test('a known device may guess no more often than anybody else', async ({ assert }) => {
    await limit(FLOOD)
    const user = await UserFactory.create()
    const visitor = new Visitor()
    await signIn(visitor, user.email)
    const statuses = []
    for (let attempt = 0; attempt < 3; attempt++) {
      statuses.push(await signIn(visitor, user.email, 'wrong'))
    }
    assert.deepEqual(statuses, [401, 401, 429])
  })

  test('the device of one user is a stranger to another, and so is a forged cookie', async ({
    assert,
  }) => {
    await limit(FLOOD)
    const [ann, bob] = await UserFactory.createMany(2)
    const visitor = new Visitor()
    await signIn(visitor, bob!.email)
    await flood(ann!.email)
    assert.equal(await signIn(visitor, ann!.email), 429)
    visitor.cookies.set('known_device', `${visitor.cookies.get('known_device')}x`)
    await flood(bob!.email)
    assert.equal(await signIn(visitor, bob!.email), 429)
  })

  test('the cookie is out of the reach of scripts, and names nobody in clear', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const response = await login(user.email, FACTORY_PASSWORD)
    const cookie = response.setCookies.find((text) => text.startsWith('known_device='))!
    assert.include(cookie, 'HttpOnly')
    assert.match(cookie, /Max-Age=34560000/)
    assert.notInclude(Buffer.from(cookie, 'base64').toString(), user.email)
  })
})

test.group('Registrations', () => {
  test('429 for an address that asks for too many accounts, right or wrong', async ({ assert }) => {
    await limit({ registrations: { perAddress: { attempts: 2, seconds: 60 } } })
    const statuses = []
    for (const email of ['no address', 'flood-1@example.com', 'flood-2@example.com']) {
      const json = { email, password: 'a long secret', password_confirmation: 'a long secret' }
      const response = await new Visitor().post('/register', { json })
      statuses.push(response.status)
    }
    assert.deepEqual(statuses, [422, 201, 429])
  }).teardown(async () => {
    await User.query().where('email', 'flood-1@example.com').delete()
  })

  test('the form of an account that was just made is a failed login with another password', async ({
    assert,
  }) => {
    await limit(LIMITS)
    const { email } = await UserFactory.create()
    const register = async (password: string) => {
      const visitor = new Visitor()
      await visitor.get('/register', { headers: PAGE })
      const form = { email, password, password_confirmation: password }
      await visitor.post('/register', { form, csrf: true, headers: PAGE })
      return (await visitor.get('/api/me')).status
    }
    assert.equal(await register(FACTORY_PASSWORD), 200)
    for (const guess of ['a wrong secret', 'another wrong secret', 'a third wrong secret']) {
      assert.equal(await register(guess), 401)
    }
    assert.equal(await register(FACTORY_PASSWORD), 401)
    assert.equal((await login(email, FACTORY_PASSWORD)).status, 429)
  })

  test('no hash is computed for whoever is refused', async ({ assert }) => {
    await limit({ registrations: { perAddress: { attempts: 1, seconds: 60 } } })
    await new Visitor().post('/register', { json: {} })
    const hashes = await countHashes(() =>
      new Visitor().post('/register', {
        json: {
          email: 'flood@example.com',
          password: 'a secret',
          password_confirmation: 'a secret',
        },
      })
    )
    assert.equal(hashes, 0)
  })
})

test.group('Auth.validate', () => {
  test('counts like Auth.attempt', async ({ assert }) => {
    await limit(LIMITS)
    const user = await UserFactory.create()
    const validate = async (password: string) => {
      const json = { email: user.email, password }
      const response = await new Visitor().post('/_test/session/validate', { json })
      return response.status
    }
    const statuses = [await validate(FACTORY_PASSWORD)]
    for (let attempt = 0; attempt < 3; attempt++) {
      statuses.push(await validate('wrong'))
    }
    assert.deepEqual(statuses, [200, 401, 401, 401])
    assert.equal(await validate(FACTORY_PASSWORD), 429)
    const response = await login(user.email, FACTORY_PASSWORD)
    assert.equal(response.status, 429)
  })
})

test.group('verifyLogin', () => {
  test('code that asks for credentials by itself is limited alike, however the e-mail is spelled', async ({
    assert,
  }) => {
    await limit(LIMITS)
    const manager = await authManager()
    const ctx = new HttpContextFactory().create()
    ctx.request.ip = () => '192.0.2.1'
    const verify = (email: string) =>
      verifyLogin(manager, manager.users('users'), { email, password: 'wrong' }, ctx)
    for (const email of ['ann@example.com', 'Ann@example.com', 'ANN@EXAMPLE.COM']) {
      assert.isNull(await verify(email))
    }
    await assert.rejects(() => verify('ann@Example.com'), 'Too many attempts. Try again later.')
  })
})
