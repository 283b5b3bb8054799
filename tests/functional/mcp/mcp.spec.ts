import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { mcp } from 'adonis-auth-kit/testing'
import { UserFactory } from '#database/factories/user_factory'
import BlogServer from '#mcp/servers/blog_server'
import CreatePost from '#mcp/tools/create_post'
import MyPosts from '#mcp/tools/my_posts'

test.group('MCP', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  // feature: oauth2
  test('GET /.well-known/oauth-protected-resource/mcp/account is public metadata', async ({
    client,
  }) => {
    const response = await client.get('/.well-known/oauth-protected-resource/mcp/account')
    response.assertStatus(200)
  })

  test('POST /mcp/account without a token says where to get one', async ({ client, assert }) => {
    const response = await client
      .post('/mcp/account')
      .json({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    response.assertStatus(401)
    assert.match(response.header('www-authenticate')!, /resource_metadata=/)
  })

  test('POST {path} with a token lists tools')
    .with([
      { path: '/mcp/account', scopes: ['account:read'] as const },
      // feature: posts
      { path: '/mcp', scopes: ['mcp:use'] as const },
      // /feature
    ])
    .run(async ({ client, assert }, { path, scopes }) => {
      const user = await UserFactory.create()
      const response = await client
        .post(path)
        .withMcpToken(user, scopes)
        .header('accept', 'application/json, text/event-stream')
        .header('mcp-protocol-version', '2025-11-25')
        .json({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
      response.assertStatus(200)
      assert.isNotEmpty(JSON.parse(response.text()).result.tools)
    })
  // /feature

  // feature: posts
  test('create_post writes with the scope, and not without', async () => {
    const user = await UserFactory.create()
    const post = { title: 'About cats', body: 'They sleep.' }
    const refused = await mcp(BlogServer).as(user, ['posts:read']).tool(CreatePost, post)
    refused.assertError(-32600)
    const reply = await mcp(BlogServer).as(user, ['posts:write']).tool(CreatePost, post)
    reply.assertOk()
    const mine = await mcp(BlogServer).as(user, ['posts:read']).tool(MyPosts, {})
    mine.assertOk().assertSee('About cats')
  })
  // /feature
})
