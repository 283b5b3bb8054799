import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'
import type { ApiClient } from '@japa/api-client'

import { UserFactory } from '#database/factories/user_factory'
import { appUrl } from '#config/app'
import { LobbyServer, opened, VaultServer } from '#starter/helpers/fixtures/mcp/vault_server'
import { mcp } from '#kit/testing/mcp'
import { events, JSON_TYPE, legacy } from '#starter/helpers/mcp_wire'

const PATH = '/mcp/vault/lobby'
const METADATA = `resource_metadata="${appUrl}/.well-known/oauth-protected-resource${PATH}"`
const STREAMS = 'application/json, text/event-stream'

const message = (name: string, id = 1, _meta?: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, _meta },
})

function call(client: ApiClient, name: string, _meta?: object) {
  return client
    .post(PATH)
    .header('accept', STREAMS)
    .json(message(name, 1, _meta))
}

test.group('MCP scopes', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(() => {
    opened.times = 0
  })

  test('an anonymous caller of a tool that needs scopes is asked to authenticate', async ({
    client,
    assert,
  }) => {
    const response = await call(client, 'open', { progressToken: 1 })
    response.assertStatus(401)
    response.assertHeader(
      'www-authenticate',
      `Bearer scope="mcp:use posts:write posts:read", ${METADATA}`
    )
    assert.equal(response.body().id, 1)
    assert.match(response.body().error.message, /^This needs a signed-in user.* again, with OAuth$/)
    assert.equal(opened.times, 0)
  })

  test('a caller that lacks a scope gets 403 before the handler runs or a stream opens', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    const response = await call(client, 'open', { progressToken: 1 }).withMcpToken(user, [
      'mcp:use',
      'posts:read',
    ])
    response.assertStatus(403)
    response.assertHeader(
      'www-authenticate',
      `Bearer error="insufficient_scope", scope="mcp:use posts:read posts:write", ${METADATA}`
    )
    assert.match(response.header('content-type')!, /^application\/json/)
    assert.equal(opened.times, 0)
  })

  test('what needs scopes needs those of its mount as well, also where the mount is optional', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    const response = await call(client, 'open').withMcpToken(user, ['posts:write'])
    response.assertStatus(403)
    assert.equal(response.body().error.data.scope, 'posts:write mcp:use')
    assert.equal(opened.times, 0)
  })

  test('a caller that has them is let through, and the handler knows who it is', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    const response = await call(client, 'open').withMcpToken(user, ['mcp:use', 'posts:write'])
    response.assertStatus(200)
    assert.equal(response.body().result.content[0].text, `opened by ${user.id}`)
  })

  test('prompts and resources have scopes too', async ({ client }) => {
    const user = await UserFactory.create()
    for (const [method, params] of [
      ['prompts/get', { name: 'riddle' }],
      ['resources/read', { uri: 'vault://ledger' }],
    ] as const) {
      const request = { jsonrpc: '2.0', id: 1, method, params }
      const refused = await client.post(PATH).withMcpToken(user, ['mcp:use']).json(request)
      refused.assertStatus(403)
      const scopes = ['mcp:use', 'posts:read'] as const
      const granted = await client.post(PATH).withMcpToken(user, scopes).json(request)
      granted.assertStatus(200)
    }
  })

  test('in a batch the refusal is the error of its call', async ({ client, assert }) => {
    const response = await client
      .post(PATH)
      .headers(JSON_TYPE)
      .json([message('look', 1), message('open', 2)] as any)
    response.assertStatus(200)
    assert.isUndefined(response.header('www-authenticate'))
    const [look, open] = response.body()
    assert.equal(look.result.content[0].text, 'a door')
    assert.equal(open.error.data.scope, 'mcp:use posts:write posts:read')
  })

  test('a mount without protection asks for scopes as well, without metadata and not for caches', async ({
    client,
  }) => {
    const response = await client.post('/mcp/open').json(message('open'))
    response.assertStatus(401)
    response.assertHeader('cache-control', 'no-store')
    response.assertHeader('www-authenticate', 'Bearer scope="posts:write"')
  })

  test('RFC 6750 §3.1: a token that its middleware ignores is called invalid', async ({
    client,
  }) => {
    const response = await client.post('/mcp/open').bearerToken('1|wrong').json(message('open'))
    response.assertStatus(401)
    const challenge = 'Bearer error="invalid_token", scope="posts:write"'
    response.assertHeader('www-authenticate', challenge)
  })

  test('requireScopes in a handler gives the same challenge while nothing is sent', async ({
    client,
  }) => {
    const user = await UserFactory.create()
    const response = await call(client, 'inspect').withMcpToken(user, ['mcp:use'])
    response.assertStatus(403)
    response.assertHeader(
      'www-authenticate',
      `Bearer error="insufficient_scope", scope="mcp:use posts:write", ${METADATA}`
    )
    const anonymous = await call(client, 'inspect')
    anonymous.assertStatus(401)
  })

  test('requireScopes after the stream has opened gives an error result that names the scope', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    const response = await call(client, 'inspect', { progressToken: 1 }).withMcpToken(user, [
      'mcp:use',
    ])
    response.assertStatus(200)
    const [progress, answer] = events(response.text())
    assert.equal(progress.method, 'notifications/progress')
    assert.isTrue(answer.result.isError)
    assert.include(answer.result.content[0].text, 'posts:write')
  })
})

test.group('MCP visibility', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  const names = (body: any) => body.result.tools.map(({ name }: { name: string }) => name)

  test('a list has what its caller may see, and is not shared', async ({ assert }) => {
    const user = await UserFactory.create()
    const anonymous = await mcp(VaultServer).send('tools/list')
    assert.deepEqual(names(anonymous), ['look', 'open', 'inspect'])
    const mine = await mcp(VaultServer).as(user).send('tools/list')
    assert.deepEqual(names(mine), ['look', 'open', 'inspect', 'secret'])
    assert.equal(anonymous.result.cacheScope, 'private')

    const lobby = await mcp(LobbyServer).send('tools/list')
    assert.equal(lobby.result.cacheScope, 'public')
  })

  test('what is hidden answers as if it did not exist', async ({ assert }) => {
    const user = await UserFactory.create()
    const [, , , Secret] = VaultServer.tools()
    const hidden = await mcp(VaultServer).tool(Secret!)
    hidden.assertError(-32602)
    assert.equal(hidden.error!.message, 'Unknown tool: secret')
    const seen = await mcp(VaultServer).as(user).tool(Secret!)
    seen.assertOk().assertSee('a secret')
  })

  test('older clients see the same', async ({ assert }) => {
    const { body } = await legacy(PATH, 'tools/list')
    assert.notInclude(names(body), 'secret')
  })
})

test.group('MCP test helper | as', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('calls as a user with scopes', async () => {
    const user = await UserFactory.create()
    const [, Open, Inspect] = VaultServer.tools()
    const refused = await mcp(VaultServer).as(user, ['posts:read']).tool(Open!)
    refused.assertError(-32600)
    const granted = await mcp(VaultServer).as(user, ['posts:write']).tool(Open!)
    granted.assertOk().assertSee(`opened by ${user.id}`)
    const inspected = await mcp(VaultServer).as(user).tool(Inspect!)
    inspected.assertOk()
  })
})
