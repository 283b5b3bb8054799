import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'

import { authenticatedCaller, lacksScope } from '#kit/mcp/caller'

const callerIn = (ctx: object) => authenticatedCaller(ctx as HttpContext)
const user = { id: 7 }
const callerOf = (
  context: { user: { id: number } | null; clientId: string | null; boundTo?: string },
  users = 'users'
) =>
  callerIn({
    authenticator: { context, subject: context.user && `${users}:${context.user.id}` },
  })

test.group('MCP caller', () => {
  test('is anonymous when nobody is authenticated, and in an app without authentication', ({
    assert,
  }) => {
    assert.isNull(
      callerIn({ authenticator: { context: null, subject: null }, auth: { user: undefined } })
    )
    assert.isNull(callerIn({}))
  })

  test('is the user and the OAuth client', ({ assert }) => {
    const callers = [
      callerOf({ user, clientId: null }),
      callerOf({ user, clientId: 'a' }),
      callerOf({ user: { id: 8 }, clientId: 'a' }),
      callerOf({ user: null, clientId: 'a' }),
    ]
    assert.lengthOf(new Set(callers.map((caller) => caller!.id)), 4)
    assert.deepEqual(
      callers.map((caller) => caller!.clientId),
      [null, 'a', 'a', 'a']
    )
  })

  test('of a token for another workspace is another caller and the same person', ({ assert }) => {
    const callers = [undefined, '1', '2'].map((boundTo) =>
      callerOf({ user, clientId: 'a', ...(boundTo && { boundTo }) })
    )
    assert.lengthOf(new Set(callers.map((caller) => caller!.id)), 3)
    assert.lengthOf(new Set(callers.map((caller) => caller!.person)), 1)
  })

  test('with an equal id of another user provider is another caller and another person', ({
    assert,
  }) => {
    const [ann, admin] = ['users', 'admins'].map((users) =>
      callerOf({ user, clientId: 'a' }, users)
    )
    assert.notEqual(ann!.id, admin!.id)
    assert.notEqual(ann!.person, admin!.person)
    assert.equal(callerOf({ user, clientId: 'b' })!.person, ann!.person)
    assert.isUndefined(callerOf({ user: null, clientId: 'a' })!.person)
  })

  test('of @adonisjs/auth is its user, with the abilities of the access token', ({ assert }) => {
    const token = { ...user, currentAccessToken: { abilities: ['posts:read'] } }
    assert.deepEqual(callerIn({ auth: { user: token } })!.scopes, ['posts:read'])
    assert.deepEqual(callerIn({ auth: { user } })!.scopes, ['*'])
    const [web, admin] = ['web', 'admin'].map(
      (authenticatedViaGuard) => callerIn({ auth: { user, authenticatedViaGuard } })!.id
    )
    assert.notEqual(web, admin)
  })

  test('lacks the scopes that were not granted', ({ assert }) => {
    const caller = (scopes: string[]) => ({ id: '1', user, scopes })
    assert.isTrue(lacksScope(caller(['a']), ['a', 'b']))
    assert.isFalse(lacksScope(caller(['*']), ['a', 'b']))
    assert.isTrue(lacksScope(null, ['a']))
  })
})
