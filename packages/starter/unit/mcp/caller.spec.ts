import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'

import { authenticatedCaller, missingScopes } from '#kit/mcp/caller'

const callerIn = (ctx: object) => authenticatedCaller(ctx as HttpContext)
const callerOf = (context: object) => callerIn({ authenticator: { context } })
const user = { id: 7 }

test.group('MCP caller', () => {
  test('is anonymous when nobody is authenticated, and in an app without authentication', ({
    assert,
  }) => {
    assert.isNull(callerIn({ authenticator: { context: null }, auth: { user: undefined } }))
    assert.isNull(callerIn({}))
  })

  test('is the user and the OAuth client', ({ assert }) => {
    const ids = [
      callerOf({ user, clientId: null, scopes: [] }),
      callerOf({ user, clientId: 'a', scopes: [] }),
      callerOf({ user: { id: 8 }, clientId: 'a', scopes: [] }),
      callerOf({ user: null, clientId: 'a', scopes: [] }),
    ].map((caller) => caller!.id)
    assert.lengthOf(new Set(ids), 4)
  })

  test('of @adonisjs/auth is its user, with the abilities of the access token', ({ assert }) => {
    const token = { ...user, currentAccessToken: { abilities: ['posts:read'] } }
    assert.deepEqual(callerIn({ auth: { user: token } })!.scopes, ['posts:read'])
    assert.deepEqual(callerIn({ auth: { user } })!.scopes, ['*'])
  })

  test('lacks the scopes that were not granted', ({ assert }) => {
    const caller = (scopes: string[]) => ({ id: '1', user, scopes })
    assert.deepEqual(missingScopes(caller(['a']), ['a', 'b']), ['b'])
    assert.deepEqual(missingScopes(caller(['*']), ['a', 'b']), [])
    assert.deepEqual(missingScopes(null, ['a']), ['a'])
  })
})
