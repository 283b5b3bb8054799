import { HttpContextFactory, RequestFactory, RouterFactory } from '@adonisjs/core/factories/http'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { defineConfig } from '#kit/mcp/define_config'
import { McpManager } from '#kit/mcp/manager'
import { Protection, type ProtectionOptions, type ResourceServer } from '#kit/mcp/protection'
import { Server } from '#kit/mcp/server'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

class Vault extends Server {
  static override name = 'vault'
}

function resourceServer(issuer: string | null): ResourceServer {
  return {
    server: {
      driver: 'oauth2',
      issuer,
      admission: { documents: true, registration: false, otherwise: '' },
      proofAlgorithms: [],
      describesRoot: false,
      serve: () => {},
    },
    acceptsTokens: () => false,
    authenticate: async () => 'absent',
  }
}

/** A manager with protected mounts at these paths, and the document that it serves at a path. */
function protectedAt(
  paths: string[],
  { url = 'https://app.example.com', issuer = null as string | null } = {}
) {
  const router = new RouterFactory().create()
  const manager = new McpManager(app, router, defineConfig({ url }))
  manager.useResourceServer(resourceServer(issuer))
  for (const path of paths) {
    manager.mount(async () => Vault, path).protect({ scopes: ['mcp:use'] })
  }
  router.commit()

  async function metadata(path: string) {
    const request = new RequestFactory().merge({ url: WELL_KNOWN + path, method: 'GET' }).create()
    const ctx = new HttpContextFactory().merge({ request }).create()
    const found = router.match(WELL_KNOWN + path, 'GET', false)!
    await (found.route.handler as (given: typeof ctx) => unknown)(ctx)
    return { body: ctx.response.getBody() as any }
  }
  return { manager, metadata }
}

test.group('MCP protection', () => {
  test('a 401 names what something of the mount can need, with `leastFirst` what the call needs', ({
    assert,
  }) => {
    const asked = (options: ProtectionOptions) => {
      const protection = new Protection(options, 'https://app.example.com', () => '/mcp')
      protection.offer(['posts:read', 'posts:write'])
      return protection.scopesToAskFor(['posts:read'])
    }
    assert.deepEqual(asked({ scopes: ['mcp:use'] }), ['mcp:use', 'posts:read', 'posts:write'])
    assert.deepEqual(asked({ scopes: ['mcp:use'], leastFirst: true }), ['posts:read'])
  })

  test('the document of the only protected mount is at the root too', async ({ assert }) => {
    const one = protectedAt(['/mcp'])
    const { body } = await one.metadata('')
    assert.equal(body.resource, 'https://app.example.com/mcp')
    const two = protectedAt(['/mcp', '/mcp/admin'])
    await assert.rejects(() => two.metadata(''), `Cannot GET:${WELL_KNOWN}`)
    assert.equal(
      (await two.metadata('/mcp/admin')).body.resource,
      'https://app.example.com/mcp/admin'
    )
  })

  test('a mount at the root is the application itself', async ({ assert }) => {
    const { manager, metadata } = protectedAt(['', '/mcp'])
    assert.equal((await metadata('')).body.resource, 'https://app.example.com')
    assert.equal(manager.mounts[0]!.protection!.metadataUrl, `https://app.example.com${WELL_KNOWN}`)
  })

  test('the document names the issuer, or else the origin of the application', async ({
    assert,
  }) => {
    const issuer = 'https://login.example.com'
    const configured = await protectedAt(['/mcp'], { issuer }).metadata('/mcp')
    assert.deepEqual(configured.body.authorization_servers, [issuer])
    const { manager, metadata } = protectedAt(['/mcp'])
    assert.deepEqual((await metadata('/mcp')).body.authorization_servers, [
      'https://app.example.com',
    ])
    assert.isTrue(manager.hasUnknownIssuer)
  })

  test('an application without protected mounts needs no issuer', ({ assert }) => {
    assert.isFalse(protectedAt([]).manager.hasUnknownIssuer)
    assert.isFalse(protectedAt(['/mcp'], { issuer: 'https://x.example' }).manager.hasUnknownIssuer)
  })

  test('a mount without a fixed URL cannot be protected', async ({ assert }) => {
    const { manager } = protectedAt(['/:tenant/mcp'])
    await assert.rejects(() => manager.prepare(), /cannot be protected/)
  })

  test('a protected mount needs the public URL of the application', ({ assert }) => {
    const manager = new McpManager(app, new RouterFactory().create(), defineConfig())
    assert.throws(() => manager.mount(async () => Vault, '/mcp').protect({}), /"url" is required/)
    for (const url of ['', 'app.example.com', 'ftp://app.example.com', 'https://a.example/?x']) {
      assert.throws(() => defineConfig({ url }), /"url" must be/)
    }
    assert.equal(defineConfig({ url: 'https://A.example:443/app/' }).url, 'https://a.example/app')
  })
})
