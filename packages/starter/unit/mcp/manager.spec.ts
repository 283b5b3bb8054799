import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'

import { RouterFactory } from '@adonisjs/core/factories/http'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { defineConfig } from '#kit/mcp/define_config'
import { McpManager } from '#kit/mcp/manager'
import { Mount } from '#kit/mcp/mount'
import { Server } from '#kit/mcp/server'
import McpProvider from 'adonis-auth-kit/providers/mcp_provider'
import { replaceForTest } from '#starter/helpers/replace'

class Faultless extends Server {
  static override name = 'faultless'
}

test.group('MCP manager', () => {
  test('a server cannot be mounted without McpProvider, and says so', ({ assert }) => {
    replaceForTest(Server, 'manager', undefined)
    assert.throws(() => Faultless.router('/x'), /Register McpProvider/)
  })

  test('the class of a mounted server is imported once, when it is first needed', async ({
    assert,
  }) => {
    let imports = 0
    const manager = new McpManager(app, new RouterFactory().create(), defineConfig())
    manager.mount(async () => {
      imports++
      return Faultless
    }, '/unit/later')
    assert.deepEqual([manager.mounts[0]!.pattern, imports], ['/unit/later', 0])
    await manager.prepare()
    await manager.findMount('faultless')
    assert.equal(imports, 1)
  })

  test('clients are known, and the issuer is asked for, where a mount is protected', ({
    assert,
  }) => {
    const manager = new McpManager(
      app,
      new RouterFactory().create(),
      defineConfig({ url: 'https://app.example.com' })
    )
    const admission = { documents: true, registration: true, otherwise: '' }
    const server = {
      admission,
      issuer: null,
      describesRoot: true,
      serve() {},
      acceptsTokens: () => false,
    }
    const known = () => [manager.knownClients?.connecting.length ?? 0, manager.hasUnknownIssuer]
    manager.mount(async () => Faultless, '/unit/open')
    manager.useResourceServer({ server, acceptsTokens: () => false } as any)
    assert.deepEqual(known(), [0, false])
    manager.mount(async () => Faultless, '/unit/closed').protect({ scopes: [] })
    assert.deepEqual(known(), [10, true])
  })

  test('an application without a version has the version 0.0.0', async ({ assert, cleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'mcp-'))
    cleanup(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'package.json'), '{}')
    const there = { makePath: (path: string) => join(folder, path) } as typeof app
    const manager = new McpManager(there, new RouterFactory().create(), defineConfig())
    assert.equal((await manager.definition(Faultless)).info.version, '0.0.0')
  })

  test('a mistake in the definition of a mounted server shows at start', async ({ assert }) => {
    class Nameless extends Server {}
    const manager = new McpManager(app, new RouterFactory().create(), defineConfig())
    manager.mount(async () => Faultless, '/unit/faultless')
    await assert.doesNotReject(() => manager.prepare())
    manager.mount(async () => Nameless, '/unit/nameless')
    await assert.rejects(() => manager.prepare(), /Nameless needs a static "name"/)
  })

  test('knows where servers are mounted, prefixes of outer groups included', async ({ assert }) => {
    const router = new RouterFactory().create()
    const manager = new McpManager(app, router, defineConfig())
    router.group(() => manager.mount(async () => Faultless, '/mcp')).prefix('/unit')
    manager.mount(async () => Faultless, '')
    assert.deepEqual(
      manager.mounts.map(({ pattern }) => pattern),
      ['/unit/mcp', '/']
    )
  })

  test('the routes around a mount are read once', ({ assert }) => {
    const mount = new Mount(
      async () => Faultless,
      null,
      () => null
    )
    let reads = 0
    const route = { toJSON: () => (reads++, { pattern: '/unit/mcp' }) }
    mount.group = { routes: [route] } as any
    mount.freeze()
    const before = reads
    mount.freeze()
    assert.deepEqual([mount.pattern, mount.protection], ['/unit/mcp', null])
    assert.equal(reads, before)
  })

  test('a stop ends calls that came while the servers were still imported', async ({ assert }) => {
    const hooks: unknown[] = []
    const manager = { prepare: () => new Promise(() => {}), config: { stopTimeout: 1 } }
    const starting = {
      container: { make: async () => manager },
      getEnvironment: () => 'web',
      terminating: (hook: unknown) => hooks.push(hook),
    }
    void new McpProvider(starting as any).ready()
    await turn()
    assert.lengthOf(hooks, 1)
  })

  test("a server has the application's version, unless it sets its own", async ({ assert }) => {
    class Versioned extends Faultless {
      static override name = 'versioned'
      static override version = '7.8.9'
    }
    const manager = new McpManager(app, new RouterFactory().create(), defineConfig())
    const { version } = JSON.parse(await readFile(app.makePath('package.json'), 'utf8'))
    const faultless = await manager.definition(Faultless)
    assert.equal(faultless.info.version, version)
    const versioned = await manager.definition(Versioned)
    assert.equal(versioned.info.version, '7.8.9')
  })
})
