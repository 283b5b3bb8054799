import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { endSessions } from '#kit/accounts/ending'
import { ApiTokenGuard } from '#kit/api_token/guard'
import { Server } from '#kit/mcp/server'
import { UserFactory } from '#database/factories/user_factory'
import { Visitor } from '#starter/helpers/visitor'

/*
| The token guard of SPA mode, which the test server does not run in, over the
| real session guard.
*/
async function spaGuard({ auth, request }: HttpContext) {
  const manager = await app.container.make('auth_manager')
  return new ApiTokenGuard(
    'api',
    manager.usersOf('api'),
    manager.feature('apiTokens')!,
    () => request.header('authorization'),
    auth.use('web')
  )
}

router.get('/_test/spa/me', async (ctx) => {
  const guard = await spaGuard(ctx)
  await guard.authenticate()
  const user = guard.getUserOrFail()
  return { id: user.id, scopes: guard.context?.scopes }
})

/** Whether the caller is still accepted, after the sessions of the person have ended. */
router.get('/_test/spa/still', async (ctx) => {
  const guard = await spaGuard(ctx)
  const user = await guard.authenticate()
  const before = await guard.isStillValid()
  await endSessions(user)
  return { before, after: await guard.isStillValid() }
})

class SpaServer extends Server {
  static override name = 'spa'
}

SpaServer.router('/mcp/spa').use(async (ctx, next) => {
  const guard = await spaGuard(ctx)
  await guard.authenticate()
  return next()
})

router.get('/_test/spa/csrf-cookie', [
  () => import('#kit/session/controllers/csrf_cookie_controller'),
  'show',
])

test.group('Token guard in SPA mode, over real sessions', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('the session comes first and carries every scope', async ({ client }) => {
    const [person, other] = await UserFactory.createMany(2)
    const response = await client
      .get('/_test/spa/me')
      .loginAs(person!)
      .withApiToken(other!, ['posts:read'])
    response.assertBody({ id: person!.id, scopes: ['*'] })
  })

  test('what a session has begun ends with it, and what a token has begun does not', async ({
    client,
  }) => {
    const user = await UserFactory.create()
    const bySession = await client.get('/_test/spa/still').loginAs(user)
    bySession.assertBody({ before: true, after: false })
    const byToken = await client.get('/_test/spa/still').withApiToken(user, ['posts:read'])
    byToken.assertBody({ before: true, after: true })
  })

  test('without a session the token counts, with its abilities', async ({ client }) => {
    const user = await UserFactory.create()
    const response = await client.get('/_test/spa/me').withApiToken(user, ['posts:read'])
    response.assertBody({ id: user.id, scopes: ['posts:read'] })
  })

  test('the session of an inactive user does not count, and the token of another does', async ({
    client,
  }) => {
    const person = await UserFactory.merge({ isActive: false }).create()
    const other = await UserFactory.create()

    const refused = await client.get('/_test/spa/me').accept('json').loginAs(person)
    refused.assertStatus(401)
    refused.assertBodyContains({ error: 'invalid_token' })
    const response = await client.get('/_test/spa/me').loginAs(person).withApiToken(other)
    response.assertBodyContains({ id: other.id })
  })

  test('neither is 401 invalid_token', async ({ client }) => {
    const response = await client.get('/_test/spa/me').accept('json')
    response.assertStatus(401)
    response.assertBodyContains({ error: 'invalid_token' })
  })

  test('an MCP mount, which reads no sessions, is opened by the token alone', async ({
    client,
  }) => {
    const user = await UserFactory.create()
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const opened = await client.post('/mcp/spa').withApiToken(user).json(ping)
    opened.assertStatus(200)
    const refused = await client.post('/mcp/spa').loginAs(user).json(ping)
    refused.assertStatus(401)
  })

  test('the csrf-cookie route primes a page with a session and its CSRF token', async ({
    assert,
  }) => {
    const visitor = new Visitor()
    const response = await visitor.get('/_test/spa/csrf-cookie')
    assert.equal(response.status, 204)
    assert.isTrue(visitor.cookies.has('service_session'))
    assert.isNotEmpty(visitor.csrfToken)
  })

  test('outside SPA mode there is no csrf-cookie route', async ({ client }) => {
    const response = await client.get('/__auth__/csrf-cookie').accept('json')
    response.assertStatus(404)
  })
})
