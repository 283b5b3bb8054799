import { AuthManager as AdonisAuthManager } from '@adonisjs/auth'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'
import testUtils from '@adonisjs/core/services/test_utils'
import { ApiRequest } from '@japa/api-client'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import type User from '#models/user'
import { middleware } from '#start/kernel'

/*
| Routes of these tests alone. The second is one of an application on
| @adonisjs/auth: its authenticator asks our guards.
*/
router
  .post('/_test/clients/own', async ({ auth }) => ({
    id: auth.getUserOrFail().id,
    via: auth.authenticatedViaGuard,
    scopes: auth.context?.scopes,
  }))
  .use(middleware.auth({ guards: ['web', 'api', 'oauth'] }))
router.post('/_test/clients/adonis', async (ctx) => {
  const auth = (await adonisManager()).createAuthenticator(ctx)
  const user: User = await auth.authenticateUsing(['web', 'api', 'oauth'])
  return { id: user.id, via: auth.authenticatedViaGuard }
})

/** The manager of @adonisjs/auth over the guards of this application. */
async function adonisManager() {
  const manager = await app.container.make('auth_manager')
  return new AdonisAuthManager({
    default: 'web' as const,
    guards: {
      web: (ctx: HttpContext) => manager.createAuthenticator(ctx).use('web'),
      api: (ctx: HttpContext) => manager.createAuthenticator(ctx).use('api'),
      oauth: (ctx: HttpContext) => manager.createAuthenticator(ctx).use('oauth'),
    },
  })
}

test.group('Test client', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('withGuard signs in through any guard, with the options of its driver', async ({
    client,
  }) => {
    const user = await UserFactory.create()
    const bySession = await client.post('/_test/clients/own').withGuard('web').loginAs(user)
    bySession.assertBody({ id: user.id, via: 'web', scopes: ['*'] })

    const byToken = await client
      .post('/_test/clients/own')
      .withGuard('api')
      .loginAs(user, ['posts:read'])
    byToken.assertBody({ id: user.id, via: 'api', scopes: ['posts:read'] })

    const byAccessToken = await client
      .post('/_test/clients/own')
      .withGuard('oauth')
      .loginAs(user, { scopes: ['posts:write'] })
    byAccessToken.assertBody({ id: user.id, via: 'oauth', scopes: ['posts:write'] })
  })

  test('a user is given as such or by id', async ({ client }) => {
    const user = await UserFactory.create()
    for (const guard of ['web', 'api', 'oauth'] as const) {
      const response = await client.post('/_test/clients/own').withGuard(guard).loginAs(user.id)
      response.assertBodyContains({ id: user.id, via: guard })
    }
  })

  test('a session without its CSRF token is refused on an unsafe method', async ({ client }) => {
    const user = await UserFactory.create()
    const response = await client
      .post('/_test/clients/own')
      .withGuard('web')
      .loginAs(user, { csrf: false })
    response.assertStatus(403)
    response.assertBodyContains({ error: 'csrf_token_mismatch' })
  })
})

test.group('Test client of @adonisjs/auth', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  /* Its plugin takes the places of ours for these tests. */
  group.setup(async () => {
    const prototype = ApiRequest.prototype as any
    const { loginAs, withGuard } = prototype
    const plugin = '@adonisjs/auth/plugins/api_client'
    const { authApiClient } = await import(plugin)
    await authApiClient({ container: { make: adonisManager } })()
    return () => {
      Object.assign(prototype, { loginAs, withGuard })
    }
  })

  test('its loginAs and withGuard sign in through our guards, and its authenticator recognises them', async ({
    client,
  }) => {
    const user = await UserFactory.create()
    const byDefault = await client.post('/_test/clients/adonis').loginAs(user)
    byDefault.assertBody({ id: user.id, via: 'web' })

    for (const guard of ['web', 'api', 'oauth'] as const) {
      const response = await client.post('/_test/clients/adonis').withGuard(guard).loginAs(user)
      response.assertBody({ id: user.id, via: guard })
    }
  })
})
