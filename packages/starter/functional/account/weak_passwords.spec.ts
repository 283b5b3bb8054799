import { mock } from 'node:test'

import type { Logger } from '@adonisjs/core/logger'
import logger from '@adonisjs/core/services/logger'
import { test } from '@japa/runner'

import { appName } from '#config/app'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { afterReplies, configure } from '#starter/helpers/passwords'
import { interceptTokens } from '#starter/helpers/reset_tokens'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const register = (
  password: string,
  email = `${crypto.randomUUID()}@example.com`,
  name: object = { full_name: 'Ann Grasshopper' }
) =>
  new Visitor().post('/register', {
    json: { email, ...name, password, password_confirmation: password },
  })

async function complaintOf(response: Response) {
  const { errors } = (await response.json()) as any
  return errors.map(({ field, rule }: any) => [field, rule])
}

test.group('Weak passwords', () => {
  test('registering refuses the most used passwords, with a reason', async ({ assert }) => {
    const response = await register('password123')
    assert.equal(response.status, 422)
    const { errors } = (await response.json()) as any
    assert.include(errors[0].message, 'one of the most used passwords')
  })

  test('registering refuses the own name and address', async ({ assert }) => {
    for (const member of ['full_name', 'fullName']) {
      const name = { [member]: 'Ann Grasshopper' }
      const named = await register('grasshopper1', undefined, name)
      assert.deepEqual(await complaintOf(named), [['password', 'personalPassword']])
    }
    const id = crypto.randomUUID().slice(0, 8)
    const addressed = await register(`wombat${id}`, `wombat${id}@example.com`)
    assert.deepEqual(await complaintOf(addressed), [['password', 'personalPassword']])
  })

  test('registering refuses the name of the application', async ({ assert }) => {
    const response = await register(`${appName}-2024`)
    assert.deepEqual(await complaintOf(response), [['password', 'personalPassword']])
  })

  test('a change refuses the own name, though the form does not have it', async ({ assert }) => {
    const user = await UserFactory.merge({ fullName: 'Ann Grasshopper' }).create()
    const { visitor } = await signedIn(user)
    const response = await visitor.send('/account/password', {
      current_password: FACTORY_PASSWORD,
      password: 'ann-grasshopper',
      password_confirmation: 'ann-grasshopper',
    })
    assert.equal(response.status, 422)
    assert.deepEqual(await complaintOf(response), [['password', 'personalPassword']])
  })

  test('a reset refuses a weak password, and the token still works', async ({ assert }) => {
    const user = await UserFactory.create()
    const tokens = await interceptTokens()
    await new Visitor().post('/password/email', { json: { email: user.email } })
    await afterReplies()
    const reset = (password: string) =>
      new Visitor().post('/password/reset', { json: { ...tokens[0], password } })
    assert.equal((await reset('iloveyou123')).status, 422)
    assert.equal((await reset('another good one')).status, 200)
  })

  test('a service that knows public passwords is asked, and only for those that pass', async ({
    assert,
  }) => {
    const asked: string[] = []
    await configure({
      isBreachedPassword: async (password) => {
        asked.push(password)
        return password === 'leaked by a shop'
      },
    })
    const leaked = await register('leaked by a shop')
    assert.deepEqual(await complaintOf(leaked), [['password', 'breachedPassword']])
    assert.equal((await register('known to nobody')).status, 201)
    await register('password123')
    assert.deepEqual(asked, ['leaked by a shop', 'known to nobody'])
  })

  test('a service that fails refuses nobody, and operators hear of it', async ({
    assert,
    cleanup,
  }) => {
    const spy = mock.method(logger as Logger, 'error', () => {})
    cleanup(() => spy.mock.restore())
    await configure({ isBreachedPassword: () => Promise.reject(new Error('No route to host')) })
    assert.equal((await register('known to nobody')).status, 201)
    const [, message] = spy.mock.calls[0]!.arguments as unknown[]
    assert.equal(message, 'Cannot ask whether a password is public')
  })

  test('a weak password that was set before still signs in', async ({ assert }) => {
    const user = await UserFactory.merge({ password: 'password123' }).create()
    assert.equal((await new Visitor().login(user.email, 'password123')).status, 200)
  })
})
