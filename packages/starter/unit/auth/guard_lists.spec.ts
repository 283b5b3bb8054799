import { RouterFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'

import type { GuardName } from '#kit/auth/guard_types'
import { assertGuardLists } from '#kit/auth/core_provider'
import AuthProvider from 'adonis-auth-kit/providers/auth_provider'
import { middleware } from '#start/kernel'
import { createManager } from '#starter/helpers/fixtures/auth_manager'
import { Server } from '#kit/mcp/server'
import { McpManager } from '#kit/mcp/manager'
import { defineConfig } from '#kit/mcp/define_config'
import app from '@adonisjs/core/services/app'

/** A router, and a check of its routes against an application that has the guard "web" alone. */
async function createRouter() {
  const router = new RouterFactory().create()
  const manager = createManager({
    guards: { web: { driver: 'fake', provider: 'users' } },
    providers: { users: { driver: 'memory' } },
  })
  manager.registerDriver({ name: 'fake', create: () => () => ({}) as any })
  await manager.build()
  return {
    router,
    manager,
    check() {
      router.commit()
      assertGuardLists(router, manager)
    },
  }
}

const guards = (...names: string[]) => names as GuardName[]
const scopes = ['posts:read'] as const

test.group('Guards that routes list', () => {
  test('a route that lists only guards that do not exist is refused, with its name and theirs')
    .with([
      middleware.auth({ guards: guards('wbe', 'api') }),
      middleware.optionalAuth({ guards: guards('wbe', 'api') }),
      middleware.scopes({ scopes, guards: guards('wbe', 'api') }),
      middleware.abilities({ scopes, guards: guards('wbe', 'api') }),
    ])
    .run(async ({ assert }, named) => {
      const { router, check } = await createRouter()
      router
        .group(() => router.get('/reports', () => {}))
        .prefix('/api')
        .use([named])
      assert.throws(
        check,
        'Nobody can pass the route "GET|HEAD /api/reports": of the guards that it lists ("wbe", "api") none is in config/auth.ts'
      )
    })

  test('an empty list is refused', async ({ assert }) => {
    const { router, check } = await createRouter()
    router.get('/reports', () => {}).use(middleware.auth({ guards: [] }))
    assert.throws(check, /"GET\|HEAD \/reports": of the guards that it lists \(none\)/)
  })

  test('so is the mount of an MCP server', async ({ assert }) => {
    class Reports extends Server {
      static override name = 'reports'
      static override manager = undefined
    }
    const { router, check } = await createRouter()
    const manager = new McpManager(app, router as any, defineConfig())
    manager
      .mount(async () => Reports as any, '/mcp')
      .use(middleware.auth({ guards: guards('oauth') }))
    assert.throws(check, /Nobody can pass the route "POST \/mcp"/)
  })

  test('a list in which one guard exists passes, and so does middleware without a list', async ({
    assert,
  }) => {
    const { router, check } = await createRouter()
    router.get('/a', () => {}).use(middleware.auth({ guards: guards('oauth', 'web') }))
    router.get('/b', () => {}).use([middleware.auth(), middleware.scopes(['posts:read'])])
    assert.doesNotThrow(check)
  })

  test('the server refuses to start', async ({ assert }) => {
    const { router, manager } = await createRouter()
    router.get('/reports', () => {}).use(middleware.auth({ guards: guards('wbe') }))
    router.commit()
    const services: Record<string, unknown> = { router, auth_manager: manager }
    const server = {
      getEnvironment: () => 'web',
      container: { make: async (name: string) => services[name] },
    }
    await assert.rejects(
      () => new AuthProvider(server as any).ready(),
      /Nobody can pass the route "GET\|HEAD \/reports"/
    )
  })
})
