import { setImmediate as nextTurn } from 'node:timers/promises'
import { mock } from 'node:test'

import { Container } from '@adonisjs/core/container'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import type { ApplicationService } from '@adonisjs/core/types'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import { getActiveTest, test } from '@japa/runner'

import { CoreProvider } from '#kit/auth/core_provider'
import { defineConfig } from '#kit/auth/define_config'
import { AuthManager } from '#kit/auth/manager'
import type { UserProviderSpec } from '#kit/auth/user_providers/user_provider'
import { Purges } from '#kit/database/purges'
import { Background } from '#kit/process/background'

class Provider extends CoreProvider {}

/** The provider of an application of its own, which is a server unless it says otherwise. */
function provide(environment = 'web', users: UserProviderSpec = { driver: 'memory' }) {
  const made: string[] = []
  const hasher = {
    make: async (text: string) => (made.push(text), 'hash'),
    verify: async () => false,
    needsReHash: () => false,
  }
  const manager = new AuthManager(defineConfig({ providers: { users } }), hasher)
  const purges = new Purges()
  const background = new Background(console)
  const container = new Container<any>()
  container.bindValue('auth_manager', manager)
  container.bindValue('logger', console)
  container.bindValue(Purges, purges)
  container.bindValue(Background, background)
  const app = { container, getEnvironment: () => environment }
  const provider = new Provider(app as unknown as ApplicationService)
  return { provider, manager, made, purges, background }
}

/** Counts the runs of a purge, by a clock that moves a minute at a time. */
function countRuns(purges: Purges) {
  mock.timers.enable({ apis: ['setInterval'] })
  getActiveTest()!.cleanup(() => mock.timers.reset())
  let runs = 0
  purges.add({ name: 'things', interval: 60, run: async () => ++runs })
  return async () => {
    mock.timers.tick(60_000)
    await nextTurn()
    return runs
  }
}

test.group('An application with AuthProvider', () => {
  test('has hashed what unknown users are compared with before its first request', async ({
    assert,
  }) => {
    const { provider, manager, made } = provide()
    await provider.start()
    assert.lengthOf(made, 1)
    await manager.users('users').verify({ email: 'nobody@example.com', password: 'x' })
    assert.lengthOf(made, 1)
  })

  test('runs purges by the clock in the environment {environment}: {runs}')
    .with([
      { environment: 'web', runs: 1 },
      { environment: 'console', runs: 0 },
      { environment: 'repl', runs: 0 },
      { environment: 'test', runs: 0 },
    ])
    .run(async ({ assert }, { environment, runs }) => {
      const { provider, purges } = provide(environment)
      const runsAfterMinute = countRuns(purges)
      await provider.ready()
      assert.equal(await runsAfterMinute(), runs)
    })

  test('starts no purge after its end', async ({ assert }) => {
    const { provider, purges } = provide()
    const runsAfterMinute = countRuns(purges)
    await provider.ready()
    await provider.shutdown()
    assert.equal(await runsAfterMinute(), 0)
  })

  test('finishes its background work before it ends', async ({ assert }) => {
    const { provider, background } = provide()
    const { response } = new HttpContextFactory().create()
    let isDone = false
    background.afterReply(response, 'test', async () => void (isDone = true))
    response.response.emit('finish')
    await provider.shutdown()
    assert.isTrue(isDone)
  })

  test('starts a command without the model of its users, which a migration may be needed for', async ({
    assert,
  }) => {
    const missing = new Error('There is no UserSchema')
    const model = () => Promise.reject(missing)
    const given = (environment: string) => provide(environment, { driver: 'lucid', model } as any)
    await assert.rejects(() => given('web').provider.start(), missing.message)
    const { provider, manager } = given('console')
    await provider.start()
    const find = () => manager.users('users').find(1)
    await assert.rejects(find, missing.message)
  })

  test('refuses to serve with "{setting}" that the model of its users does not have')
    .with([
      { setting: 'usernameField', wrong: 'user_name', right: 'userName' },
      { setting: 'passwordField', wrong: 'passwd', right: 'secret' },
      { setting: 'idField', wrong: 'uuid', right: 'userName' },
      { setting: 'isActive', wrong: 'isActiv', right: 'isActive' },
    ])
    .run(async ({ assert }, { setting, wrong, right }) => {
      class Person extends BaseModel {
        @column({ isPrimary: true })
        declare id: number

        @column()
        declare userName: string

        @column()
        declare secret: string

        get isActive() {
          return true
        }
      }
      const start = (environment: string, field: unknown) =>
        provide(environment, { driver: 'lucid', model: Person, [setting]: field }).provider.start()
      await start('web', right)
      await start('web', () => true)
      await start('console', wrong)
      await assert.rejects(
        () => start('web', wrong),
        `The user provider "users": "${setting}" names "${wrong}", which the model Person does not have`
      )
    })
})
