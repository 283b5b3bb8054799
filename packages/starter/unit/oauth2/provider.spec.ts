import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import AuthOAuth2Provider from 'adonis-auth-kit/providers/auth_oauth2_provider'
import { Purges } from '#kit/database/purges'
import { authorizationServer, isolate, useConfig } from '#starter/helpers/oauth'

test.group('AuthOAuth2Provider', (group) => {
  group.each.setup(isolate)

  test('an unknown authorization guard stops the start', async ({ assert }) => {
    const provider = new AuthOAuth2Provider(app)
    await provider.start()
    await useConfig({ authorizationGuard: 'nobody' })
    await assert.rejects(() => provider.start(), /"authorizationGuard" names the guard "nobody"/)
  })

  test('its purge runs with auth:purge', async ({ assert }) => {
    const purges = await app.container.make(Purges)
    const server = await authorizationServer()
    const prepared = await server.tokenIssuer.prepare(
      {
        user: { userId: '7', provider: 'users' },
        clientId: null,
        scopes: [],
        resource: null,
      },
      { familyId: null }
    )
    await server.tokens.insertTokens(prepared.records)
    await db.from('oauth_access_tokens').update({ expires_at: 1 })
    await db.from('oauth_refresh_tokens').update({ expires_at: 1 })
    const purged = await purges.run()
    assert.deepInclude(purged, { name: 'expired OAuth tokens and codes', deleted: 2 })
  })
})
