import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { ApiToken } from '#kit/api_token/facade'
import { UserFactory } from '#database/factories/user_factory'
import type User from '#models/user'

test.group('ApiToken.create', (group) => {
  let user: User
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(async () => {
    user = await UserFactory.create()
  })

  /** The facade as a JavaScript caller sees it. */
  const create: (...args: any[]) => Promise<any> = ApiToken.create.bind(ApiToken)

  test('takes its settings by name and by position, to the same effect', async ({ assert }) => {
    const expiresAt = new Date(Date.now() + 60_000)
    const named = await ApiToken.create(user, {
      name: 'laptop',
      abilities: ['posts:read'],
      expiresAt,
      guard: 'api',
    })
    const positional = await ApiToken.create(user, 'laptop', ['posts:read'], expiresAt, 'api')

    for (const { details } of [named, positional]) {
      assert.equal(details.name, 'laptop')
      assert.deepEqual(details.abilities, ['posts:read'])
      assert.deepEqual(details.expiresAt, expiresAt)
      assert.equal(details.userId, String(user.id))
    }
  })

  test('null and undefined stand for a setting that is left out')
    .with([null, undefined])
    .run(async ({ assert }, nothing) => {
      const { details } = await ApiToken.create(user.id, nothing, nothing, nothing, nothing)
      assert.isNull(details.name)
      assert.deepEqual(details.abilities, ['*'])
      assert.isNull(details.expiresAt)
      assert.lengthOf(await ApiToken.tokens(user, nothing), 1)
      assert.equal(await ApiToken.revokeAll(user, nothing), 1)
    })

  test('{what} is refused and makes no token')
    .with([
      { what: 'a misspelled setting', settings: [{ abilites: ['posts:read'] }] },
      { what: 'a setting in snake_case', settings: [{ expires_at: new Date() }] },
      { what: 'a setting of another method', settings: [{ scopes: ['posts:read'] }] },
      { what: 'a list of abilities in place of the name', settings: [['posts:read']] },
      { what: 'a date in place of the name', settings: [new Date()] },
      { what: 'a date in place of the abilities', settings: ['laptop', new Date()] },
      { what: 'a text in place of the abilities', settings: ['laptop', 'posts:read'] },
      { what: 'settings by name after the name', settings: ['laptop', { abilities: ['x'] }] },
      { what: 'a guard in place of the expiry', settings: ['laptop', ['x'], 'api'] },
      { what: 'settings by name and by position', settings: [{ name: 'laptop' }, ['x']] },
      { what: 'one setting too many', settings: ['laptop', ['x'], null, 'api', true] },
      { what: 'a map of settings', settings: [new Map([['abilities', ['x']]])] },
      { what: 'an unknown guard', settings: [{ guard: 'nope' }] },
      { what: 'a guard of another driver', settings: ['laptop', ['x'], null, 'web'] },
    ])
    .run(async ({ assert }, { settings }) => {
      const error = await create(user, ...settings).catch((failure) => failure)
      assert.instanceOf(error, InvalidArgumentsException)
      assert.lengthOf(await ApiToken.tokens(user), 0)
    })

  test('a misspelled setting is answered with the nearest one', async ({ assert }) => {
    await assert.rejects(
      () => create(user, { abilites: [] }),
      'ApiToken.create: unknown setting "abilites": did you mean "abilities"?'
    )
  })

  test('nobody is refused as an owner')
    .with([null, undefined])
    .run(async ({ assert }, nobody) => {
      await assert.rejects(() => create(nobody), /needs a user/)
    })
})
