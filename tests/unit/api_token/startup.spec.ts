import app from '@adonisjs/core/services/app'
import { AppFactory } from '@adonisjs/core/factories/app'
import { test } from '@japa/runner'

import { apiTokenGuard, sessionGuard } from '#auth/define_config'
import { FeatureNotRegistered } from '#auth/errors'
import type { GuardSpec } from '#auth/types'
import { ApiToken } from '#api_token/facade'
import { defineConfig } from '#api_token/define_config'
import { checkSpaMode, tokenDriver } from '#api_token/driver'
import AuthApiTokenProvider from '#providers/auth_api_token_provider'
import { createService } from '#tests/fixtures/api_tokens'
import { createManager } from '#tests/fixtures/auth_manager'

const spa = defineConfig({ statefulOrigins: ['https://app.example.com'] })
const users = { driver: 'memory' as const }
const sessionDriver = { name: 'session', create: () => () => ({}) as any }

test.group('API tokens / startup', () => {
  test('a token guard without AuthApiTokenProvider fails and names the provider', async ({
    assert,
  }) => {
    const manager = createManager({
      guards: { api: apiTokenGuard({ provider: 'users' }) },
      providers: { users },
    })
    const error = await manager.build().catch((failure) => failure)
    assert.instanceOf(error, FeatureNotRegistered)
    assert.match(error.message, /guard "api".*AuthApiTokenProvider/)
  })

  test('AuthApiTokenProvider before AuthProvider fails and says so', async ({ assert }) => {
    const bare = new AppFactory().create(new URL('./', import.meta.url))
    await bare.init()
    assert.throws(
      () => new AuthApiTokenProvider(bare as any).register(),
      /list AuthProvider before it/
    )
  })

  test('SPA mode without AuthSessionProvider fails and names the provider', ({ assert }) => {
    const manager = createManager({ providers: { users } })
    const error = (() => {
      try {
        checkSpaMode(spa, manager)
      } catch (failure) {
        return failure
      }
    })() as Error
    assert.instanceOf(error, FeatureNotRegistered)
    assert.match(error.message, /SPA mode.*AuthSessionProvider/)
  })

  test('SPA mode needs a session guard: "sessionGuard" names {what}')
    .with<{ what: string; guards: Record<string, GuardSpec> }[]>([
      { what: 'no guard', guards: {} },
      { what: 'a token guard', guards: { web: apiTokenGuard({ provider: 'users' }) } },
    ])
    .run(async ({ assert }, { guards }) => {
      const service = createService(spa)
      const manager = createManager({
        guards: { ...guards, api: apiTokenGuard({ provider: 'users' }) },
        providers: { users },
      })
      manager.registerDriver(sessionDriver).registerDriver(tokenDriver(service))
      await manager.build()
      assert.throws(() => checkSpaMode(spa, manager), /"sessionGuard" is "web".*no session guard/)
    })

  test('SPA mode with its session guard is fine, and so is no SPA mode at all', ({ assert }) => {
    const manager = createManager({
      guards: { web: sessionGuard({ provider: 'users' }) },
      providers: { users },
    })
    manager.registerDriver(sessionDriver)
    assert.doesNotThrow(() => checkSpaMode(spa, manager))
    assert.doesNotThrow(() => checkSpaMode(defineConfig(), createManager({})))
  })
})

test.group('API tokens / the app', () => {
  test('the purge of expired tokens runs with auth:purge', async ({ assert }) => {
    const manager = await app.container.make('auth_manager')
    const purged = await manager.purges.run()
    assert.include(
      purged.map(({ name }) => name),
      'expired API tokens'
    )
  })

  test('ApiToken refuses a guard that is no token guard', async ({ assert }) => {
    await assert.rejects(() => ApiToken.tokens(1, 'web'), /"web" is no guard with the driver/)
    await assert.rejects(() => ApiToken.tokens(1, 'nobody'), /"nobody" is no guard with the driver/)
  })
})
