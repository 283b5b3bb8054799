import { mock } from 'node:test'

import emitter from '@adonisjs/core/services/emitter'
import testUtils from '@adonisjs/core/services/test_utils'
import { getActiveTest, test } from '@japa/runner'

import { AccountAccess } from '#kit/auth/account_access'
import type { Users } from '#kit/auth/users'

const USER = { id: 1 }

/** The access to the account of a user with a verified address or not, and what happens to it in its order. */
async function accessOf({ verified = false, ofOtherUsers = false, isFirst = true } = {}) {
  const steps: string[] = []
  const passwords: string[] = []
  const done = (step: string) => async () => void steps.push(step)
  const provider = {
    async updatePassword(_user: unknown, password: string) {
      passwords.push(password)
      steps.push('password')
    },
  }
  const users = { name: 'users', provider } as unknown as Users
  const features: Record<string, object> = {
    sessions: { destroyAllOf: done('sessions'), destroyOthersOf: done('other sessions') },
    emailVerification: {
      users: ofOtherUsers ? {} : users,
      isVerified: () => verified,
      forgetProposal: done('proposal'),
      async markVerified() {
        steps.push('verified')
        return isFirst
      },
    },
  }
  const access = new AccountAccess({ feature: (name: string) => features[name] } as never)
  const add = (name: string, count: number, route?: string) =>
    access.add({ name, route, countOf: async () => count, endAllOf: done(name) })
  add('tokens', 2, 'tokens.index')
  add('passkeys', 0, 'passkeys.index')
  add('second factor', 1)

  const told = mock.method(emitter, 'emit', async () => {})
  getActiveTest()!.cleanup(() => told.mock.restore())
  const events = () => told.mock.calls.map(({ arguments: [name, event] }: any) => [name, event])
  return { access, users, steps, passwords, events, ctx: await testUtils.createHttpContext() }
}

const ALL = ['tokens', 'passkeys', 'second factor']

test.group('Access to an account', () => {
  test('is listed where there is any, and ended with other sessions, without what protects the account', async ({
    assert,
  }) => {
    const { access, users, steps, events, ctx } = await accessOf()
    assert.deepEqual(await access.listOf(USER, users), [
      { name: 'tokens', route: 'tokens.index', count: 2 },
    ])
    assert.equal(await access.endListed(USER, users, ctx), 2)
    assert.deepEqual(steps, ['other sessions', 'tokens', 'passkeys', 'other sessions'])
    const [, [name, { details }]] = events() as any
    assert.deepEqual([name, details], ['auth:access_ended', { count: 2 }])
  })

  test('ends by its kinds, and without a word where there was none', async ({ assert }) => {
    const { access, users, steps, events } = await accessOf()
    await access.endKinds(['passkeys', 'unknown'], USER, users)
    assert.deepEqual(steps, ['passkeys'])
    assert.isEmpty(events())
  })

  test('ends with the account by all kinds, those of the application among them', async ({
    assert,
  }) => {
    const { access, users, steps, events } = await accessOf()
    await access.endKinds(null, USER, users)
    assert.deepEqual(steps, ALL)
    assert.isEmpty(events())
  })

  test('ends twice with a reset of an account without a verified address, because an old request may be running', async ({
    assert,
  }) => {
    const { access, users, steps, events } = await accessOf()
    await access.recover(USER, users)
    assert.deepEqual(steps, ['sessions', 'proposal', ...ALL, 'verified', 'sessions', ...ALL])
    assert.isEmpty(events())
  })

  test('stays with a reset where the address was verified, but for sessions', async ({
    assert,
  }) => {
    const { access, users, steps } = await accessOf({ verified: true })
    await access.recover(USER, users)
    assert.deepEqual(steps, ['sessions', 'proposal'])
    const others = await accessOf({ ofOtherUsers: true })
    await others.access.recover(USER, others.users)
    assert.deepEqual(others.steps, ['sessions'])
  })

  test('ends when the owner of the address arrives, with a password that they do not know', async ({
    assert,
  }) => {
    const { access, users, steps, passwords, ctx } = await accessOf()
    assert.isTrue(await access.firstArrival(USER, users, ctx))
    const everything = ['other sessions', ...ALL, 'verified', ...ALL]
    assert.deepEqual(steps, ['password', 'proposal', ...everything])
    assert.isAtLeast(passwords[0]!.length, 32)

    const knowing = await accessOf()
    const options = { knowsPassword: true }
    assert.isTrue(await knowing.access.firstArrival(USER, knowing.users, knowing.ctx, options))
    assert.deepEqual(knowing.steps, everything)
  })

  test('ends once where another request has verified the address meanwhile', async ({ assert }) => {
    const { access, users, steps, ctx } = await accessOf({ isFirst: false })
    assert.isFalse(await access.firstArrival(USER, users, ctx, { knowsPassword: true }))
    assert.deepEqual(steps, ['other sessions', ...ALL, 'verified'])
  })

  test('stays when the owner has arrived before, and for users without verified addresses', async ({
    assert,
  }) => {
    for (const settings of [{ verified: true }, { ofOtherUsers: true }]) {
      const { access, users, steps, ctx } = await accessOf(settings)
      assert.isFalse(await access.firstArrival(USER, users, ctx))
      assert.isEmpty(steps)
    }
  })
})
