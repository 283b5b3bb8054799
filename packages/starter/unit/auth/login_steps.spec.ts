import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'

import { type LoginStep, LoginSteps } from '#kit/auth/login_steps'
import type { Users } from '#kit/auth/users'

const USER = { id: 1 }
const users = {} as Users
const ctx = {} as HttpContext

/** A step that is taken by the credentials `<name>: 'right'`, and what was asked of it. */
function stepCalled(name: string, more: Partial<LoginStep> = {}) {
  const trusted: unknown[] = []
  const step: LoginStep = {
    name,
    path: `/${name}`,
    credentialKeys: [name],
    isRequired: async () => true,
    take: async (_user, _users, credentials) => credentials[name] === 'right',
    methodsOf: () => [`by ${name}`],
    trustDevice: (user) => void trusted.push(user),
    ...more,
  }
  return { step, trusted }
}

test.group('Login steps', () => {
  const [one, other] = [stepCalled('one'), stepCalled('other', { methodsOf: undefined })]
  const optional = stepCalled('optional', { isRequired: async () => false })
  const steps = new LoginSteps().add(one.step).add(optional.step).add(other.step)
  const take = (credentials: Record<string, unknown>, taken?: string[]) =>
    steps.take(USER, users, credentials, ctx, taken)

  test('are taken in their order, and the first that is missing is named', async ({ assert }) => {
    const none = { passed: false, missing: one.step, taken: [], methods: [] }
    assert.deepEqual(await take({}), none)
    assert.deepEqual(await take({ other: 'right' }), none)
    assert.deepEqual(await take({ one: 5 }), none)
    assert.deepEqual(await take({ one: 'right' }), {
      passed: false,
      missing: other.step,
      taken: ['one'],
      methods: ['by one'],
    })
  })

  test('pass when all that are required were taken, now or before', async ({ assert }) => {
    const all = { passed: true, taken: ['one', 'other'] }
    assert.deepEqual(await take({ one: 'right', other: 'right' }), { ...all, methods: ['by one'] })
    assert.deepEqual(await take({ other: 'right' }, ['one']), { ...all, methods: [] })
  })

  test('fail with the first that is taken wrongly', async ({ assert }) => {
    assert.isNull(await take({ one: 'wrong', other: 'right' }))
    assert.isNull(await take({ other: 'wrong' }, ['one']))
  })

  test('have the keys of all credentials', ({ assert }) => {
    assert.deepEqual(steps.credentialKeys, ['one', 'optional', 'other'])
  })

  test('trust a device with those that were taken', ({ assert }) => {
    steps.trustDevice(['other'], USER, users, ctx)
    assert.deepEqual([one.trusted, other.trusted], [[], [USER]])
  })

  test('prove a user by one that is required of them', async ({ assert }) => {
    const proves = (credentials: Record<string, unknown>) =>
      steps.proves(USER, users, credentials, ctx)
    assert.isTrue(await proves({ other: 'right' }))
    assert.isFalse(await proves({ other: 'wrong' }))
    assert.isFalse(await proves({ optional: 'right' }))
    assert.isFalse(await proves({ unknown: 'right' }))
  })
})
