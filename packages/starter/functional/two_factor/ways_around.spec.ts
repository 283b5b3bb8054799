import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { ALL_GRANTS, isolate, opens, post as postForm, useConfig } from '#starter/helpers/oauth'
import { authManager } from '#starter/helpers/passwords'
import { interceptTokens } from '#starter/helpers/reset_tokens'
import { stopClock } from '#starter/helpers/time'
import { codeOf, turnOn, wrongCodeOf } from '#starter/helpers/two_factor'
import { Visitor } from '#starter/helpers/visitor'

const NEW_PASSWORD = 'quite another secret'
const ENDPOINTS = ['/oauth/token', '/token'].map((path) => ({ path }))

async function person() {
  const tick = stopClock()
  const user = await UserFactory.create()
  const factor = await turnOn(user)
  tick(30)
  return { user, tick, ...factor }
}

test.group('The password grant with a second factor', (group) => {
  group.each.setup(isolate)

  const ask = (path: string, email: string, more: Record<string, string> = {}) =>
    postForm(path, {
      grant_type: 'password',
      username: email,
      password: FACTORY_PASSWORD,
      ...more,
    })

  test('{path}: the password alone is invalid_grant, which says what is missing')
    .with(ENDPOINTS)
    .run(async ({ assert }, { path }) => {
      await useConfig({ grantTypes: ALL_GRANTS })
      const { user } = await person()
      const { status, body } = await ask(path, user.email)
      assert.equal(status, 400)
      assert.deepEqual(body, {
        error: 'invalid_grant',
        error_description:
          'Signing in takes another step: two_factor. Send its code with the password.',
      })
    })

  test('{path}: a code or a recovery code beside the password gives a token, once')
    .with(ENDPOINTS)
    .run(async ({ assert }, { path }) => {
      await useConfig({ grantTypes: ALL_GRANTS })
      const { user, secret, recoveryCodes } = await person()
      const proofs: Record<string, string>[] = [
        { two_factor_code: codeOf(secret) },
        { recovery_code: recoveryCodes[0]! },
      ]
      for (const proof of proofs) {
        const first = await ask(path, user.email, proof)
        assert.equal(first.status, 200)
        assert.isTrue(await opens(first.body.access_token))
        const replay = await ask(path, user.email, proof)
        assert.equal(replay.body.error, 'invalid_grant')
      }
    })

  test('{path}: a wrong code is the invalid_grant of a wrong password')
    .with(ENDPOINTS)
    .run(async ({ assert }, { path }) => {
      await useConfig({ grantTypes: ALL_GRANTS })
      const { user, secret } = await person()
      const code = await ask(path, user.email, { two_factor_code: wrongCodeOf(secret) })
      const password = await ask(path, user.email, { password: 'wrong' })
      assert.deepEqual(code.body, password.body)
    })

  test('a parameter of the code that is given twice is invalid_request', async ({ assert }) => {
    await useConfig({ grantTypes: ALL_GRANTS })
    const { user, secret } = await person()
    const fields = new URLSearchParams({
      username: user.email,
      password: FACTORY_PASSWORD,
      two_factor_code: codeOf(secret),
    })
    fields.append('two_factor_code', '123456')
    const { body } = await postForm('/token', fields.toString())
    assert.equal(body.error, 'invalid_request')
  })
})

test.group('A reset password', () => {
  test('does not skip the second factor, and a reset signs nobody in', async ({ assert }) => {
    const delivered = await interceptTokens()
    const { user, secret } = await person()
    await user.merge({ emailVerifiedAt: Date.now() }).save()
    const manager = await authManager()
    await manager.broker().sendResetLink(user.email)
    const visitor = new Visitor()
    const reset = await visitor.post('/password/reset', {
      json: { email: user.email, token: delivered[0]!.token, password: NEW_PASSWORD },
    })
    assert.equal(reset.status, 200)
    const me = await visitor.get('/api/me')
    assert.equal(me.status, 401)

    const login = await visitor.login(user.email, NEW_PASSWORD)
    assert.deepEqual(await login.json(), { two_factor: true })
    const code = await visitor.send('/login/two-factor', { code: codeOf(secret) })
    assert.equal(code.status, 200)
  })
})

test.group('Registering', () => {
  test('as somebody with a second factor is refused, and signs nobody in', async ({ assert }) => {
    const { user } = await person()
    const visitor = new Visitor()
    const response = await visitor.post('/register', {
      json: {
        email: user.email,
        password: NEW_PASSWORD,
        password_confirmation: NEW_PASSWORD,
      },
    })
    assert.equal(response.status, 422)
    const me = await visitor.get('/api/me')
    assert.equal(me.status, 401)
  })

  test('takes no second step: nobody begins with a second factor', async ({ assert }) => {
    const visitor = new Visitor()
    const { email } = await UserFactory.make()
    const response = await visitor.post('/register', {
      form: { email, password: NEW_PASSWORD, password_confirmation: NEW_PASSWORD },
      headers: { accept: 'text/html' },
    })
    assert.equal(response.status, 302)
    const me = await visitor.get('/api/me')
    assert.equal(me.status, 200)
  })
})
