import emitter from '@adonisjs/core/services/emitter'
import router from '@adonisjs/core/services/router'
import { test } from '@japa/runner'

import { Auth } from '#kit/auth/facade'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import SessionModel from '#kit/session/models/session'
import { limit } from '#starter/helpers/limits'
import { authManager } from '#starter/helpers/passwords'
import { stopClock } from '#starter/helpers/time'
import { codeOf, turnOn, wide, wrongCodeOf } from '#starter/helpers/two_factor'
import { Visitor, isSignedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html' }
const STEP = 30

router.post('/_test/two_factor/validate', async ({ request }) => {
  const user = await Auth.validate(request.body())
  return { found: user !== null }
})
router.post('/_test/two_factor/attempt', async ({ request }) => {
  await Auth.check()
  const signedIn = await Auth.attempt(request.body())
  const pending = await Auth.pendingLogin()
  return { signedIn, step: pending?.step.name ?? null, user: (await Auth.user()) !== null }
})

/** Somebody with a second factor, at a moment whose code was not used. */
async function person() {
  const tick = stopClock()
  const user = await UserFactory.create()
  const factor = await turnOn(user)
  tick(STEP)
  return { user, tick, ...factor }
}

function login(visitor: Visitor, email: string, body: object = {}) {
  return visitor.post('/login', {
    json: { email, password: FACTORY_PASSWORD, ...body },
    csrf: visitor.cookies.size > 0,
  })
}

function secondStep(visitor: Visitor, json: object) {
  return visitor.send('/login/two-factor', json)
}

/** A visitor who has given the password, and nothing else. */
async function halfway(email: string) {
  const visitor = new Visitor()
  await login(visitor, email)
  return visitor
}

test.group('POST /login with a second factor', () => {
  test('the password alone gives {"two_factor": true}, and the code signs in', async ({
    assert,
  }) => {
    const { user, secret } = await person()
    const visitor = new Visitor()
    const first = await login(visitor, user.email)
    assert.equal(first.status, 200)
    assert.deepEqual(await first.json(), { two_factor: true })
    assert.isFalse(await isSignedIn(visitor))

    const second = await secondStep(visitor, { code: codeOf(secret) })
    assert.equal(second.status, 200)
    assert.deepEqual(await second.json(), { user: user.toProfile() })
    assert.isTrue(await isSignedIn(visitor))
  })

  test('a wrong password says what it always says', async ({ assert }) => {
    const { user } = await person()
    const response = await new Visitor().login(user.email, 'wrong')
    assert.equal(response.status, 401)
    assert.equal(((await response.json()) as any).error, 'invalid_session')
  })

  test('in a browser the form for the code comes next, and then the page that was asked for', async ({
    assert,
  }) => {
    const { user, secret } = await person()
    const visitor = new Visitor()
    await visitor.get('/account/password', { headers: PAGE })
    await visitor.get('/login', { headers: PAGE })
    const first = await visitor.post('/login', {
      form: { email: user.email, password: FACTORY_PASSWORD, _token: visitor.csrfToken },
      headers: PAGE,
    })
    assert.equal(first.headers.get('location'), '/login/two-factor')
    const form = await visitor.get('/login/two-factor', { headers: PAGE })
    assert.equal(form.headers.get('cache-control'), 'no-store')
    assert.include(await form.text(), 'autocomplete="one-time-code"')

    const second = await visitor.post('/login/two-factor', {
      form: { code: codeOf(secret), _token: visitor.csrfToken },
      headers: PAGE,
    })
    assert.equal(second.headers.get('location'), '/account/password')
    assert.isTrue(await isSignedIn(visitor))
  })

  test('a recovery code signs in once, however it is spelled', async ({ assert }) => {
    const { user, recoveryCodes } = await person()
    const spelled = recoveryCodes[0]!.replaceAll('-', ' ').toUpperCase().replaceAll('0', 'O')
    const visitor = await halfway(user.email)
    const response = await secondStep(visitor, { recovery_code: spelled })
    assert.equal(response.status, 200)

    const again = await halfway(user.email)
    const replayed = await secondStep(again, { recovery_code: recoveryCodes[0] })
    assert.equal(replayed.status, 422)
    assert.equal(((await replayed.json()) as any).errors[0].field, 'recovery_code')
    const other = await secondStep(again, { recovery_code: recoveryCodes[1] })
    assert.equal(other.status, 200)
  })

  test('a code of the app and a recovery code are taken in wide letters, with spaces and dashes', async ({
    assert,
  }) => {
    const { user, secret, recoveryCodes } = await person()
    const grouped = codeOf(secret).replace(/(\d{3})/, '$1-')
    for (const [name, code] of [
      ['code', grouped],
      ['recovery_code', recoveryCodes[0]!.toUpperCase()],
    ] as const) {
      const visitor = await halfway(user.email)
      const response = await visitor.post('/login/two-factor', {
        form: { [name]: wide(code), _token: visitor.csrfToken },
        headers: PAGE,
      })
      assert.equal(response.headers.get('location'), '/account', name)
    }
  })

  test('remember me lasts over both steps', async ({ assert }) => {
    const { user, secret } = await person()
    const visitor = new Visitor()
    await login(visitor, user.email, { remember: true })
    await secondStep(visitor, { code: codeOf(secret) })
    const { createdAt, expiresAt } = await SessionModel.findByOrFail('userId', String(user.id))
    assert.equal(expiresAt - createdAt, 30 * 24 * 60 * 60 * 1000)
  })

  test('422 for {what}')
    .with([
      { what: 'no code', json: {} },
      { what: 'five digits', json: { code: '12345' } },
      { what: 'letters', json: { code: 'abcdef' } },
      { what: 'a list', json: { code: ['123456'] } },
      { what: 'an empty recovery code', json: { recovery_code: '' } },
      { what: 'a list of recovery codes', json: { recovery_code: ['x'] } },
    ])
    .run(async ({ assert }, { json }) => {
      const { user } = await person()
      const visitor = await halfway(user.email)
      const response = await secondStep(visitor, json)
      assert.equal(response.status, 422)
      assert.isFalse(await isSignedIn(visitor))
    })

  test('a wrong code is told from the form, in the browser and as JSON', async ({ assert }) => {
    const { user, secret } = await person()
    const visitor = await halfway(user.email)
    const json = await secondStep(visitor, { code: wrongCodeOf(secret) })
    assert.equal(json.status, 422)
    assert.deepEqual(await json.json(), {
      errors: [
        {
          field: 'code',
          rule: 'secondFactor',
          message: 'This code is wrong or has already been used',
        },
      ],
    })
    await visitor.post('/login/two-factor', {
      form: { code: wrongCodeOf(secret), _token: visitor.csrfToken },
      headers: PAGE,
    })
    const form = await visitor.get('/login/two-factor', { headers: PAGE })
    assert.include(await form.text(), 'This code is wrong')
  })

  test('the clock of the app may be one step off, and not two: {steps}')
    .with([
      { steps: -2, status: 422 },
      { steps: -1, status: 200 },
      { steps: 0, status: 200 },
      { steps: 1, status: 200 },
      { steps: 2, status: 422 },
    ])
    .run(async ({ assert }, { steps, status }) => {
      const { user, secret, tick } = await person()
      tick(3 * STEP)
      const visitor = await halfway(user.email)
      const response = await secondStep(visitor, { code: codeOf(secret, { steps }) })
      assert.equal(response.status, status)
    })

  test('people without a second factor sign in as before', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = new Visitor()
    const response = await login(visitor, user.email)
    assert.deepEqual(await response.json(), { user: user.toProfile() })
    const step = await visitor.get('/login/two-factor', { headers: PAGE })
    assert.equal(step.headers.get('location'), '/account')
  })
})

test.group('A half-made login', () => {
  test('opens nothing: {path}')
    .with(
      [
        '/account',
        '/account/password',
        '/account/two-factor',
        '/account/two-factor/setup',
        '/account/tokens',
        '/account/delete',
        '/confirm',
      ].map((path) => ({ path }))
    )
    .run(async ({ assert }, { path }) => {
      const { user } = await person()
      const visitor = await halfway(user.email)
      const page = await visitor.get(path, { headers: PAGE })
      assert.equal(page.headers.get('location'), '/login')
      const json = await visitor.get(path)
      assert.equal(json.status, 401)
    })

  test('changes nothing: POST {path}')
    .with(
      [
        { path: '/account', json: { fullName: 'Mallory' } },
        { path: '/account/two-factor/disable', json: {} },
        { path: '/account/two-factor', json: {} },
        { path: '/account/two-factor/recovery-codes', json: {} },
        { path: '/account/delete', json: { password: FACTORY_PASSWORD } },
        {
          path: '/account/password',
          json: {
            current_password: FACTORY_PASSWORD,
            password: 'a new secret',
            password_confirmation: 'a new secret',
          },
        },
        { path: '/confirm', json: { password: FACTORY_PASSWORD } },
        { path: '/api/tokens', json: { name: 'x', abilities: ['posts:read'] } },
        { path: '/oauth/authorize', json: { approved: true } },
        { path: '/oauth/personal-access-tokens', json: { name: 'x' } },
      ].map((attempt) => attempt)
    )
    .run(async ({ assert }, { path, json }) => {
      const { user } = await person()
      const visitor = await halfway(user.email)
      const response = await visitor.send(path, json)
      assert.equal(response.status, 401)
    })

  test('is no session of the user', async ({ assert }) => {
    const { user } = await person()
    await halfway(user.email)
    assert.isNull(await SessionModel.findBy('userId', String(user.id)))
  })

  test('every step gives the session a new id and a new CSRF token, and ends the one before', async ({
    assert,
  }) => {
    const { user, secret } = await person()
    const visitor = new Visitor()
    await visitor.get('/login', { headers: PAGE })
    const seen = [new Map(visitor.cookies)]
    await login(visitor, user.email)
    seen.push(new Map(visitor.cookies))
    await secondStep(visitor, { code: codeOf(secret) })
    seen.push(new Map(visitor.cookies))

    for (const name of ['service_session', 'XSRF-TOKEN']) {
      assert.lengthOf([...new Set(seen.map((cookies) => cookies.get(name)))], 3)
    }
    for (const cookies of seen.slice(0, 2)) {
      const thief = new Visitor()
      cookies.forEach((value, name) => thief.cookies.set(name, value))
      assert.isFalse(await isSignedIn(thief))
      const replay = await secondStep(thief, { code: codeOf(secret, { steps: 1 }) })
      assert.equal(replay.status, 401)
    }
  })

  test('a session that an attacker planted gets nowhere with the steps of its victim', async ({
    assert,
  }) => {
    const { user, secret } = await person()
    const attacker = new Visitor()
    await attacker.get('/login', { headers: PAGE })
    const victim = new Visitor()
    attacker.cookies.forEach((value, name) => victim.cookies.set(name, value))

    await login(victim, user.email)
    const early = await secondStep(attacker, { code: codeOf(secret) })
    assert.equal(early.status, 401)
    await secondStep(victim, { code: codeOf(secret) })
    assert.isTrue(await isSignedIn(victim))
    assert.isFalse(await isSignedIn(attacker))
  })

  test('signs out whoever was signed in before', async ({ assert }) => {
    const { user } = await person()
    const other = await UserFactory.create()
    const visitor = new Visitor()
    await visitor.login(other.email, FACTORY_PASSWORD)
    await login(visitor, user.email)
    assert.isFalse(await isSignedIn(visitor))
    assert.isNull(await SessionModel.findBy('userId', String(other.id)))
  })

  test('ends after ten minutes', async ({ assert }) => {
    const { user, secret, tick } = await person()
    const visitor = await halfway(user.email)
    tick(600)
    const response = await secondStep(visitor, { code: codeOf(secret) })
    assert.equal(response.status, 401)
    assert.equal(((await response.json()) as any).error, 'invalid_session')
  })

  test('ends when the password changes', async ({ assert }) => {
    const { user, secret } = await person()
    const visitor = await halfway(user.email)
    const manager = await authManager()
    await manager.usersOf().provider.updatePassword(user, 'a new secret')
    const response = await secondStep(visitor, { code: codeOf(secret) })
    assert.equal(response.status, 401)
  })

  test('ends when the user becomes inactive', async ({ assert }) => {
    const { user, secret } = await person()
    const visitor = await halfway(user.email)
    await user.merge({ isActive: false }).save()
    const response = await secondStep(visitor, { code: codeOf(secret) })
    assert.equal(response.status, 401)
  })

  test('without a password there is no second step', async ({ assert }) => {
    const { secret } = await person()
    const visitor = new Visitor()
    const page = await visitor.get('/login/two-factor', { headers: PAGE })
    assert.equal(page.headers.get('location'), '/login')
    const response = await secondStep(visitor, { code: codeOf(secret) })
    assert.equal(response.status, 401)
  })

  test("somebody else's code takes nobody further", async ({ assert }) => {
    const { user } = await person()
    const other = await UserFactory.create()
    const { secret, recoveryCodes } = await turnOn(other)
    const visitor = await halfway(user.email)
    const code = await secondStep(visitor, { code: codeOf(secret, { steps: 1 }) })
    const recovery = await secondStep(visitor, { recovery_code: recoveryCodes[0] })
    assert.deepEqual([code.status, recovery.status], [422, 422])
  })
})

test.group('A code counts once', () => {
  test('also for the next login, and so do the codes before it', async ({ assert }) => {
    const { user, secret } = await person()
    const first = await halfway(user.email)
    const used = await secondStep(first, { code: codeOf(secret, { steps: 1 }) })
    assert.equal(used.status, 200)
    const second = await halfway(user.email)
    for (const steps of [1, 0, -1]) {
      const response = await secondStep(second, { code: codeOf(secret, { steps }) })
      assert.equal(response.status, 422)
    }
  })

  test('also when ten use it at the same time: {what}')
    .with([{ what: 'a code' }, { what: 'a recovery code' }])
    .run(async ({ assert }, { what }) => {
      const { user, secret, recoveryCodes } = await person()
      const json =
        what === 'a code' ? { code: codeOf(secret) } : { recovery_code: recoveryCodes[0] }
      const visitors = await Promise.all(Array.from({ length: 10 }, () => halfway(user.email)))
      const responses = await Promise.all(visitors.map((visitor) => secondStep(visitor, json)))
      const statuses = responses.map(({ status }) => status).sort()
      assert.deepEqual(statuses, [200, ...Array(9).fill(422)])
    })

  test('uses up no guess when it comes again: the first of many clicks at once signs in', async ({
    assert,
  }) => {
    const counts = { attempts: 1, seconds: 60 }
    await limit({ failedSecondFactors: { perSubjectAndAddress: counts, perSubject: counts } })
    const { user, secret } = await person()
    await secondStep(await halfway(user.email), { code: codeOf(secret) })
    const again = await secondStep(await halfway(user.email), { code: codeOf(secret) })
    assert.equal(again.status, 422)
    const next = await secondStep(await halfway(user.email), {
      code: codeOf(secret, { steps: 1 }),
    })
    assert.equal(next.status, 200)
  })

  test('the code that turned it on signs nobody in', async ({ assert }) => {
    stopClock()
    const user = await UserFactory.create()
    const { secret } = await turnOn(user)
    const visitor = await halfway(user.email)
    const response = await secondStep(visitor, { code: codeOf(secret) })
    assert.equal(response.status, 422)
  })
})

test.group('Guessing codes', () => {
  const LIMITS = {
    failedSecondFactors: { perSubjectAndAddress: { attempts: 3, seconds: 60 }, perSubject: null },
  } as any

  test('is limited for each user, and a new password step gives no new guesses', async ({
    assert,
  }) => {
    await limit(LIMITS)
    const { user, secret } = await person()
    const statuses = []
    for (let attempt = 0; attempt < 4; attempt++) {
      const visitor = await halfway(user.email)
      const response = await secondStep(visitor, { code: wrongCodeOf(secret) })
      statuses.push(response.status)
    }
    assert.deepEqual(statuses, [422, 422, 422, 429])

    const visitor = await halfway(user.email)
    const right = await secondStep(visitor, { code: codeOf(secret) })
    assert.equal(right.status, 429)
    assert.isAbove(Number(right.headers.get('retry-after')), 0)
    const byCode = await visitor.send('/_test/two_factor/validate', {
      email: user.email,
      password: FACTORY_PASSWORD,
      two_factor_code: codeOf(secret),
    })
    assert.equal(byCode.status, 429)
  })

  test('whoever knows the password locks nobody out of a device that has signed in before', async ({
    assert,
  }) => {
    await limit({ failedSecondFactors: { perSubject: { attempts: 3, seconds: 3600 } } })
    const { user, secret, tick } = await person()
    const owner = await halfway(user.email)
    assert.equal((await secondStep(owner, { code: codeOf(secret) })).status, 200)
    await owner.post('/logout', { csrf: true })
    for (let attempt = 0; attempt < 3; attempt++) {
      await secondStep(await halfway(user.email), { code: wrongCodeOf(secret) })
    }

    tick(STEP)
    const stranger = await halfway(user.email)
    assert.equal((await secondStep(stranger, { code: codeOf(secret) })).status, 429)
    await login(owner, user.email)
    assert.equal((await secondStep(owner, { code: codeOf(secret) })).status, 200)
  })

  test('a device that has only shown the password is a stranger to the limit', async ({
    assert,
  }) => {
    await limit({ failedSecondFactors: { perSubject: { attempts: 3, seconds: 3600 } } })
    const { user, secret } = await person()
    const guesser = await halfway(user.email)
    for (let attempt = 0; attempt < 3; attempt++) {
      await secondStep(guesser, { code: wrongCodeOf(secret) })
      await login(guesser, user.email)
    }
    assert.equal((await secondStep(guesser, { code: codeOf(secret) })).status, 429)
  })

  test('tells listeners, without the code', async ({ assert, cleanup }) => {
    const heard: any[] = []
    cleanup(emitter.on('auth:login_failed', ({ credentials }) => void heard.push(credentials)))
    cleanup(emitter.on('two_factor:failed', ({ user }) => void heard.push(user.id)))
    const { user, secret } = await person()
    const visitor = await halfway(user.email)
    await secondStep(visitor, { code: wrongCodeOf(secret) })
    await visitor.send('/_test/two_factor/attempt', {
      email: user.email,
      password: FACTORY_PASSWORD,
      two_factor_code: wrongCodeOf(secret),
    })
    const named = { email: user.email }
    const told = heard.map((one) => JSON.parse(JSON.stringify(one)))
    assert.deepEqual(told, [user.id, named, user.id, named])
  })
})

test.group('Code that checks passwords', () => {
  const call = (path: string, json: object) => new Visitor().post(path, { json })

  test('Auth.attempt is false, and tells the step', async ({ assert }) => {
    const { user } = await person()
    const response = await call('/_test/two_factor/attempt', {
      email: user.email,
      password: FACTORY_PASSWORD,
    })
    assert.deepEqual(await response.json(), { signedIn: false, step: 'two_factor', user: false })
  })

  test('Auth.attempt signs out who was signed in, when a step is missing', async ({ assert }) => {
    const { user } = await person()
    const visitor = new Visitor()
    await visitor.login((await UserFactory.create()).email, FACTORY_PASSWORD)
    const response = await visitor.send('/_test/two_factor/attempt', {
      email: user.email,
      password: FACTORY_PASSWORD,
    })
    assert.deepEqual(await response.json(), { signedIn: false, step: 'two_factor', user: false })
    assert.isFalse(await isSignedIn(visitor))
  })

  test('Auth.attempt is true with the code among the credentials, and false with a wrong one', async ({
    assert,
  }) => {
    const { user, secret } = await person()
    const credentials = { email: user.email, password: FACTORY_PASSWORD }
    const wrong = await call('/_test/two_factor/attempt', {
      ...credentials,
      two_factor_code: wrongCodeOf(secret),
    })
    assert.deepEqual(await wrong.json(), { signedIn: false, step: null, user: false })
    const right = await call('/_test/two_factor/attempt', {
      ...credentials,
      two_factor_code: codeOf(secret),
    })
    assert.deepEqual(await right.json(), { signedIn: true, step: null, user: true })
  })

  test('Auth.validate refuses with 401 login_step_required without the code', async ({
    assert,
  }) => {
    const { user } = await person()
    const response = await call('/_test/two_factor/validate', {
      email: user.email,
      password: FACTORY_PASSWORD,
    })
    assert.equal(response.status, 401)
    assert.deepEqual(await response.json(), {
      error: 'login_step_required',
      error_description: 'Signing in takes another step: two_factor.',
    })
  })

  test('Auth.validate gives the user with the code, and nobody with a wrong one', async ({
    assert,
  }) => {
    const { user, secret, recoveryCodes } = await person()
    const credentials = { email: user.email, password: FACTORY_PASSWORD }
    const validate = async (proof: object) => {
      const response = await call('/_test/two_factor/validate', { ...credentials, ...proof })
      return ((await response.json()) as any).found
    }
    assert.isFalse(await validate({ two_factor_code: wrongCodeOf(secret) }))
    assert.isFalse(await validate({ recovery_code: 'xxxx' }))
    assert.isTrue(await validate({ two_factor_code: codeOf(secret) }))
    assert.isFalse(await validate({ two_factor_code: codeOf(secret) }))
    assert.isTrue(await validate({ recovery_code: recoveryCodes[0] }))
  })
})
