import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'

import { authenticatedCaller, missingScopes } from '#mcp/caller'

const callerOf = (auth?: object) => authenticatedCaller({ auth } as unknown as HttpContext)
const user = { id: 7 }

test.group('MCP caller', () => {
  test('is anonymous when nobody is authenticated, and in an app without authentication', ({
    assert,
  }) => {
    assert.isNull(callerOf({ context: null, user: null }))
    assert.isNull(callerOf(undefined))
  })

  test('is the user and the OAuth client', ({ assert }) => {
    const ids = [
      callerOf({ context: { user, clientId: null, scopes: [] } }),
      callerOf({ context: { user, clientId: 'a', scopes: [] } }),
      callerOf({ context: { user: { id: 8 }, clientId: 'a', scopes: [] } }),
      callerOf({ context: { user: null, clientId: 'a', scopes: [] } }),
    ].map((caller) => caller!.id)
    assert.lengthOf(new Set(ids), 4)
  })

  test('of @adonisjs/auth is its user, with the abilities of the access token', ({ assert }) => {
    const token = { ...user, currentAccessToken: { abilities: ['posts:read'] } }
    assert.deepEqual(callerOf({ user: token })!.scopes, ['posts:read'])
    assert.deepEqual(callerOf({ user })!.scopes, ['*'])
  })

  test('lacks the scopes that were not granted', ({ assert }) => {
    const caller = (scopes: string[]) => ({ id: '1', user, scopes })
    assert.deepEqual(missingScopes(caller(['a']), ['a', 'b']), ['b'])
    assert.deepEqual(missingScopes(caller(['*']), ['a', 'b']), [])
    assert.deepEqual(missingScopes(null, ['a']), ['a'])
  })
})
