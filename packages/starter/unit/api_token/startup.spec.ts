import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import logger from '@adonisjs/core/services/logger'
import type { ApplicationService } from '@adonisjs/core/types'
import { AppFactory } from '@adonisjs/core/factories/app'
import { test } from '@japa/runner'

import { apiTokenGuard, sessionGuard } from '#kit/auth/define_config'
import { FeatureNotRegistered } from '#kit/auth/errors'
import type { GuardSpec } from '#kit/auth/guards/driver'
import { ApiToken } from '#kit/api_token/facade'
import { type ApiTokenConfig, defineConfig } from '#kit/api_token/define_config'
import { checkSpaMode, tokenDriver } from '#kit/api_token/guard'
import AuthApiTokenProvider from 'adonis-auth-kit/providers/auth_api_token_provider'
import { MemoryApiTokenRepository } from '#kit/api_token/store'
import { Purges } from '#kit/database/purges'
import { createService, createUsers } from '#starter/helpers/fixtures/api_tokens'
import { createManager } from '#starter/helpers/fixtures/auth_manager'

const spa = defineConfig({ statefulOrigins: ['https://app.example.com'] })
const users = { driver: 'memory' as const }
const sessionDriver = { name: 'session', create: () => () => ({}) as any }

/** An application with nothing in it. */
async function createApp(config: Record<string, unknown> = {}) {
  const bare = new AppFactory().create(new URL('./', import.meta.url))
  bare.useConfig(config)
  await bare.init()
  await bare.boot()
  return bare as unknown as ApplicationService
}

/** The provider over a manager without guards. */
async function bootProvider(config?: ApiTokenConfig) {
  const bare = await createApp(config && { api_token: config })
  const manager = createManager({ providers: { users } })
  bare.container.bindValue('auth_manager', manager)
  bare.container.bindValue('emitter', emitter)
  bare.container.bindValue('logger', logger)
  const provider = new AuthApiTokenProvider(bare)
  provider.register()
  await provider.boot()
  return { manager, provider }
}

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
    const bare = await createApp()
    assert.throws(() => new AuthApiTokenProvider(bare).register(), /list AuthProvider before it/)
  })

  test('the provider offers what the config says: driver, tokens, purge and SPA mode', async ({
    assert,
  }) => {
    const { manager, provider } = await bootProvider({ ...spa, purgeInterval: 7 })
    assert.equal(manager.driver('token', 'The test').name, 'token')
    assert.equal(manager.feature('apiTokens')?.config.purgeInterval, 7)
    assert.deepEqual(manager.feature('spa'), { origins: spa.statefulOrigins })
    await assert.rejects(() => provider.start(), /SPA mode.*AuthSessionProvider/)
  })

  test('a config file may export a plain object, which is checked like any other', async ({
    assert,
  }) => {
    const { manager } = await bootProvider({ purgeInterval: 7 })
    assert.deepEqual(manager.feature('apiTokens')?.config, defineConfig({ purgeInterval: 7 }))
    await assert.rejects(
      () => bootProvider({ purge_interval: 7 } as any),
      /unknown setting "purge_interval": did you mean "purgeInterval"/
    )
  })

  test('without a config the provider has the defaults, and SPA mode is off', async ({
    assert,
  }) => {
    const { manager, provider } = await bootProvider()
    assert.deepEqual(manager.feature('apiTokens')?.config, defineConfig())
    assert.isUndefined(manager.feature('spa'))
    await assert.doesNotReject(() => provider.start())
  })

  test('a ready repository serves the store "instance"', async ({ assert }) => {
    const instance = new MemoryApiTokenRepository()
    const { manager } = await bootProvider(defineConfig({ store: 'instance', instance }))
    assert.strictEqual(manager.feature('apiTokens')?.repository, instance)
  })

  test('a shutdown waits until the last use is recorded', async ({ assert }) => {
    const { manager, provider } = await bootProvider()
    const tokens = manager.feature('apiTokens')!
    const people = await createUsers()
    const { plainText } = await tokens.create(people, 1)
    await tokens.verify(plainText, people)

    await provider.shutdown()
    const [token] = await tokens.list(people, 1)
    assert.instanceOf(token!.lastUsedAt, Date)
  })

  test('SPA mode without AuthSessionProvider fails and names the provider', ({ assert }) => {
    const manager = createManager({ providers: { users } })
    const error = (() => {
      try {
        return checkSpaMode(spa, manager)
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
        default: { guard: 'api' },
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
    const purges = await app.container.make(Purges)
    const purged = await purges.run()
    assert.include(
      purged.map(({ name }) => name),
      'expired API tokens'
    )
  })

  test('ApiToken refuses a guard that is no token guard', async ({ assert }) => {
    await assert.rejects(() => ApiToken.tokens(1, 'web'), /"web" is not a guard with the driver/)
    await assert.rejects(
      () => ApiToken.tokens(1, 'nobody'),
      /"nobody" is not a guard with the driver/
    )
  })
})
