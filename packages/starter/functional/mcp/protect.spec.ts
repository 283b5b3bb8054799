import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { appUrl } from '#config/app'
import { Tool } from '#kit/mcp/primitives'
import type { McpRequest } from '#kit/mcp/request'
import { Response } from '#kit/mcp/response'
import { callerHeaders, ServerKnownByHeader } from '#starter/helpers/fixtures/mcp/known_by_header'
import '#starter/helpers/fixtures/mcp/vault_server'
import { mirror, modern, post } from '#starter/helpers/mcp_wire'
import {
  authorizationFields,
  encodeForm,
  isolate,
  obtainTokens,
  postToken,
  read,
  refreshing,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { signedIn } from '#starter/helpers/visitor'

const CLOSED = '/mcp/vault'
const OPTIONAL = '/mcp/vault/lobby'
const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const NAMES = '/mcp/names'

class WhoAmI extends Tool {
  static override name = 'who'
  static override description = 'Says who calls'
  handle = (_args: object, { caller }: McpRequest) => Response.text(caller?.id ?? 'nobody')
}

/** It says by itself who calls, and that everybody sees the same. */
class NamesServer extends ServerKnownByHeader {
  static override name = 'names'
  static override cacheScope = 'public' as const
  static override tools = () => [WhoAmI]
}

NamesServer.router(NAMES).protect({ optional: true })

const metadataUrl = (path: string) => `${appUrl}${WELL_KNOWN}${path}`

test.group('MCP protect | A closed mount', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('accepts an access token that is bound to its URL', async ({ client }) => {
    const user = await UserFactory.create()
    const response = await client.post(CLOSED).withMcpToken(user).json(LIST)
    response.assertStatus(200)
  })

  test('refuses every other token: {name}')
    .with([
      { name: 'an unbound one', resource: undefined },
      { name: 'that of another mount', resource: `${appUrl}${OPTIONAL}` },
      { name: 'that of a path below', resource: `${appUrl}${CLOSED}/x` },
      { name: 'that of another host', resource: `https://evil.example${CLOSED}` },
    ])
    .run(async ({ client }, { resource }) => {
      const user = await UserFactory.create()
      const response = await client
        .post(CLOSED)
        .withOAuthToken(user, { scopes: ['mcp:use'], resource })
        .json(LIST)
      response.assertStatus(401)
      response.assertHeader(
        'www-authenticate',
        `Bearer error="invalid_token", scope="mcp:use posts:write posts:read", resource_metadata="${metadataUrl(CLOSED)}"`
      )
    })

  test('tells operators why it refuses a token', async ({ client, assert, cleanup }) => {
    const reasons: string[] = []
    cleanup(emitter.on('auth:refused', ({ reason }) => void reasons.push(reason)))
    const user = await UserFactory.create()
    await client
      .post(CLOSED)
      .withOAuthToken(user, { scopes: ['mcp:use'] })
      .json(LIST)
    assert.deepEqual(reasons, ['The access token is for another resource.'])
  })

  test('its own tokens open nothing else', async ({ client }) => {
    const user = await UserFactory.create()
    const resource = `${appUrl}${CLOSED}`
    const token = { scopes: ['mcp:use'] as const, resource }
    const elsewhere = await client.get('/api/me').withOAuthToken(user, token)
    elsewhere.assertStatus(401)
  })

  test('asks a caller without a token to authenticate, without an error code, in JSON', async ({
    client,
    assert,
  }) => {
    const response = await client.post(CLOSED).header('accept', 'text/html').json(LIST)
    response.assertStatus(401)
    response.assertHeader(
      'www-authenticate',
      `Bearer scope="mcp:use posts:write posts:read", resource_metadata="${metadataUrl(CLOSED)}"`
    )
    assert.match(response.header('content-type')!, /^application\/json/)
    assert.equal(response.body().jsonrpc, '2.0')
  })

  test('answers 403 to a token without its scope, and names the scopes held and missing', async ({
    client,
  }) => {
    const user = await UserFactory.create()
    const response = await client.post(CLOSED).withMcpToken(user, ['posts:read']).json(LIST)
    response.assertStatus(403)
    response.assertHeader(
      'www-authenticate',
      `Bearer error="insufficient_scope", scope="posts:read mcp:use", resource_metadata="${metadataUrl(CLOSED)}"`
    )
  })

  /* feature: oauth2 */
  test('accepts API tokens when it names their guard, and never a cookie', async ({ client }) => {
    const user = await UserFactory.create()
    const token = await client.post(CLOSED).withApiToken(user, ['mcp:use']).json(LIST)
    token.assertStatus(200)
    const unnamed = await client.post(OPTIONAL).withApiToken(user, ['mcp:use']).json(LIST)
    unnamed.assertStatus(401)
    const cookie = await client.post(CLOSED).loginAs(user).json(LIST)
    cookie.assertStatus(401)
  })
  /* /feature */

  test('the Host header decides neither its URL nor who may call', async ({ client }) => {
    const user = await UserFactory.create()
    const response = await client
      .post(CLOSED)
      .header('host', 'localhost')
      .header('x-forwarded-host', 'evil.example')
      .withMcpToken(user)
      .json(LIST)
    response.assertStatus(200)
    const challenge = await client.post(CLOSED).header('host', 'localhost').json(LIST)
    challenge.assertHeader(
      'www-authenticate',
      `Bearer scope="mcp:use posts:write posts:read", resource_metadata="${metadataUrl(CLOSED)}"`
    )
  })

  test('refuses a caller before it reads the body', async ({ assert }) => {
    const { status } = await post(CLOSED, '{')
    assert.equal(status, 401)
  })

  test('its answers are for the caller alone', async ({ client, assert }) => {
    const user = await UserFactory.create()
    for (const method of ['tools/list', 'server/discover']) {
      const params = { _meta: mirrorMeta() }
      const response = await client
        .post(CLOSED)
        .withMcpToken(user)
        .headers(mirror(method))
        .json({ ...LIST, method, params })
      assert.equal(response.body().result.cacheScope, 'private', method)
    }
  })

  test('a session guard cannot protect a mount', async ({ assert }) => {
    const auth = await app.container.make('auth_manager')
    const ctx = await testUtils.createHttpContext()
    await assert.rejects(
      () => auth.feature('protectedResources')!.authenticate(ctx, `${appUrl}${CLOSED}`, ['web']),
      /"web" cannot protect/
    )
  })
})

function mirrorMeta() {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
}

test.group('MCP protect | An optional mount', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('answers anonymous callers', async ({ client }) => {
    const response = await client.post(OPTIONAL).json(LIST)
    response.assertStatus(200)
  })

  test('knows nobody whom it has not authenticated itself', async ({ client, assert }) => {
    const request = client.post(NAMES).headers(callerHeaders('ann'))
    const message = { ...LIST, method: 'tools/call', params: { name: 'who', arguments: {} } }
    const response = await request.json(message)
    assert.equal(response.body().result.content[0].text, 'nobody')
  })

  test('has no answer for all callers, although its server says so', async ({ assert }) => {
    const { body } = await modern(NAMES, 'tools/list')
    assert.equal(body.result.cacheScope, 'private')
  })

  test('refuses a token that is not valid, so that the client gets a new one', async ({
    client,
  }) => {
    const response = await client.post(OPTIONAL).bearerToken('expired').json(LIST)
    response.assertStatus(401)
    response.assertHeader(
      'www-authenticate',
      `Bearer error="invalid_token", scope="mcp:use posts:write posts:read", resource_metadata="${metadataUrl(OPTIONAL)}"`
    )
  })
})

test.group('MCP protect | Metadata (RFC 9728)', () => {
  test('describes a mount, for pages of any origin and for caches, five minutes long', async ({
    client,
  }) => {
    const response = await client
      .get(`${WELL_KNOWN}${CLOSED}`)
      .header('origin', 'https://inspector.example')
    response.assertStatus(200)
    response.assertHeader('access-control-allow-origin', '*')
    response.assertHeader('cache-control', 'public, max-age=300')
    response.assertBody({
      resource: `${appUrl}${CLOSED}`,
      authorization_servers: [appUrl],
      scopes_supported: ['mcp:use', 'posts:write', 'posts:read'],
      bearer_methods_supported: ['header'],
      resource_name: 'The vault',
    })
  })

  test('names the mount as the caller does, where both names are of this computer', async ({
    client,
  }) => {
    const [, port] = new URL(appUrl).host.split(':')
    const twin = `http://localhost:${port}`
    const response = await client.get(`${WELL_KNOWN}${CLOSED}`).header('host', `localhost:${port}`)
    response.assertBodyContains({ resource: `${twin}${CLOSED}`, authorization_servers: [twin] })
    const challenge = await client
      .post(CLOSED)
      .header('host', `localhost:${port}`)
      .bearerToken('expired')
      .json(LIST)
    challenge.assertHeader(
      'www-authenticate',
      `Bearer error="invalid_token", scope="mcp:use posts:write posts:read", resource_metadata="${twin}${WELL_KNOWN}${CLOSED}"`
    )
    const foreign = await client
      .get(`${WELL_KNOWN}${CLOSED}`)
      .header('host', `evil.example:${port}`)
    foreign.assertBodyContains({ resource: `${appUrl}${CLOSED}` })
  })

  test('there is none for another path, nor at the root when there are several mounts, which pages of any origin may read', async ({
    client,
  }) => {
    for (const path of ['', '/mcp/open', `${CLOSED}/x`, '/nowhere']) {
      const response = await client
        .get(`${WELL_KNOWN}${path}`)
        .header('origin', 'https://inspector.example')
        .accept('json')
      response.assertStatus(404)
      response.assertHeader('access-control-allow-origin', '*')
      response.assertBody({ message: `Cannot GET:${WELL_KNOWN}${path}` })
    }
  })
})

test.group('MCP protect | The authorization server', (group) => {
  group.each.setup(isolate)

  test('binds tokens to a mount, as the client names it: {$self}')
    .with([
      `${appUrl}${CLOSED}`,
      `${appUrl}${CLOSED}/`,
      `${appUrl}${CLOSED}/below`,
      `${appUrl.replace('127.0.0.1', 'localhost')}${CLOSED}`,
    ])
    .run(async ({ client }, resource) => {
      const { visitor } = await signedIn()
      const tokens = await obtainTokens(visitor, await registerClient(), {
        scope: 'mcp:use',
        resource,
      })
      const response = await client.post(CLOSED).bearerToken(tokens.access_token).json(LIST)
      response.assertStatus(200)
    })

  test('an authorization request for a mount that names no scope asks for those of the mount', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const ask = async (scopes: string[], more: Record<string, unknown>) => {
      const registered = await registerClient({ scopes })
      const fields = encodeForm(authorizationFields(registered, more) as any)
      return (await read(await visitor.get(`/oauth/authorize?${fields}`))).body.scope
    }
    const resource = `${appUrl}${CLOSED}`
    assert.equal(await ask([], { scope: undefined, resource }), 'mcp:use posts:write posts:read')
    assert.equal(
      await ask([], { scope: 'offline_access', resource }),
      'mcp:use posts:write posts:read'
    )
    assert.equal(await ask(['posts:read'], { scope: undefined, resource }), 'posts:read')
    assert.equal(await ask([], { scope: 'mcp:use', resource }), 'mcp:use')
    assert.equal(await ask([], { scope: undefined }), '')
    await useConfig({ defaultScopes: ['account:read'] })
    assert.equal(await ask([], { scope: undefined }), 'account:read')
  })

  test('a refreshed token stays bound to the mount', async ({ client, assert }) => {
    const { visitor } = await signedIn()
    const registered = await registerClient()
    const resource = `${appUrl}${CLOSED}/`
    const tokens = await obtainTokens(visitor, registered, { scope: 'mcp:use', resource })
    const { status, body } = await postToken(
      refreshing(registered, tokens.refresh_token, { resource })
    )
    assert.equal(status, 200)
    const response = await client.post(CLOSED).bearerToken(body.access_token).json(LIST)
    response.assertStatus(200)
  })

  test('a resource that is no mount is invalid_target', async ({ assert }) => {
    const registered = await registerClient()
    const fields = { grant_type: 'client_credentials', client_id: registered.id }
    for (const resource of [`${appUrl}/other`, `${appUrl}/mcpx`, `${appUrl}/`]) {
      const { body } = await postToken({ ...fields, client_secret: registered.secret, resource })
      assert.equal(body.error, 'invalid_target', resource)
    }
  })

  test('the metadata names the configured issuer', async ({ assert }) => {
    const server = await useConfig({ issuer: 'https://login.example.com' })
    const { tokenServer } = await import('#kit/oauth2/features')
    assert.equal(tokenServer(server).issuer, 'https://login.example.com')
  })
})
