import { RouterFactory } from '@adonisjs/core/factories/http'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { defineConfig } from '#mcp/define_config'
import { McpManager } from '#mcp/manager'
import { Server } from '#mcp/server'

class Faultless extends Server {
  static override name = 'faultless'
}

test.group('MCP manager', () => {
  test('a server cannot be mounted without McpProvider, and says so', ({ assert, cleanup }) => {
    const { manager } = Server
    cleanup(() => {
      Server.manager = manager
    })
    Server.manager = undefined
    assert.throws(() => Faultless.router('/x'), /Register McpProvider/)
  })

  test('a mistake in the definition of a mounted server shows at start', async ({ assert }) => {
    class Nameless extends Server {}
    const manager = new McpManager(app, new RouterFactory().create(), defineConfig())
    manager.mount(Faultless, '/unit/faultless')
    await assert.doesNotReject(() => manager.prepare())
    manager.mount(Nameless, '/unit/nameless')
    await assert.rejects(() => manager.prepare(), /Nameless needs a static "name"/)
  })

  test('knows where servers are mounted, prefixes of outer groups included', async ({ assert }) => {
    const router = new RouterFactory().create()
    const manager = new McpManager(app, router, defineConfig())
    router.group(() => manager.mount(Faultless, '/mcp')).prefix('/unit')
    manager.mount(Faultless, '')
    assert.deepEqual(
      manager.mounts.map(({ pattern }) => pattern),
      ['/unit/mcp', '/']
    )
  })

  test('its routes run no middleware of the router', async ({ assert }) => {
    const router = new RouterFactory().create()
    const manager = new McpManager(app, router, defineConfig())
    const group = manager.mount(Faultless, '/unit/bare')
    const [route] = group.routes as { toJSON(): { middleware: { all(): Set<unknown> } } }[]
    assert.equal(route!.toJSON().middleware.all().size, 0)
  })
})
