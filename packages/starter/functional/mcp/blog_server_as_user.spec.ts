import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'
import BlogServer from '#mcp/servers/blog_server'
import CreatePost from '#mcp/tools/create_post'
import MyPosts from '#mcp/tools/my_posts'
import UpdatePost from '#mcp/tools/update_post'
import Post from '#models/post'
import { mcp } from '#kit/testing/mcp'

const WRITER = ['posts:read', 'posts:write']

test.group('MCP blog server | As a user', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('create_post writes a post in the name of the user', async ({ assert }) => {
    const user = await UserFactory.create()
    const reply = await mcp(BlogServer)
      .as(user, WRITER)
      .tool(CreatePost, { title: 'About cats', body: 'They sleep.' })
    reply.assertOk()
    const post = await Post.findOrFail(reply.result.structuredContent.id)
    assert.deepInclude(post.$attributes, {
      userId: user.id,
      title: 'About cats',
      body: 'They sleep.',
    })
  })

  test('create_post validates as the API does', async ({ assert }) => {
    const user = await UserFactory.create()
    for (const args of [{}, { title: ' ', body: 'x' }, { title: 'x'.repeat(256), body: 'x' }]) {
      const reply = await mcp(BlogServer).as(user, WRITER).tool(CreatePost, args)
      reply.assertToolError('Invalid arguments: title')
    }
    assert.isNull(await Post.query().where('user_id', user.id).first())
  })

  test('my_posts has the posts of the user, the newest first, and no others', async () => {
    const [user, other] = await UserFactory.createMany(2)
    const first = await PostFactory.merge({ userId: user!.id, title: 'One' }).create()
    const second = await PostFactory.merge({ userId: user!.id, title: 'Two' }).create()
    await PostFactory.merge({ userId: other!.id }).create()

    const mine = await mcp(BlogServer).as(user!, ['posts:read']).tool(MyPosts)
    mine.assertOk().assertStructured({
      posts: [
        { id: second.id, title: 'Two' },
        { id: first.id, title: 'One' },
      ],
    })
    const one = await mcp(BlogServer).as(user!, ['posts:read']).tool(MyPosts, { limit: 1 })
    one.assertOk().assertStructured({ posts: [{ id: second.id, title: 'Two' }] })
  })

  test('update_post changes what was given, and nothing else', async ({ assert }) => {
    const user = await UserFactory.create()
    const post = await PostFactory.merge({ userId: user.id, title: 'One', body: 'Old' }).create()
    const reply = await mcp(BlogServer)
      .as(user, WRITER)
      .tool(UpdatePost, { id: post.id, title: 'Two' })
    reply.assertOk()
    await post.refresh()
    assert.deepEqual([post.title, post.body], ['Two', 'Old'])
  })

  test("update_post leaves other people's posts alone", async ({ assert }) => {
    const [user, other] = await UserFactory.createMany(2)
    const post = await PostFactory.merge({ userId: other!.id, title: 'One' }).create()
    const client = mcp(BlogServer).as(user!, WRITER)
    const stolen = await client.tool(UpdatePost, { id: post.id, title: 'Mine' })
    stolen.assertToolError(`The user has written no post ${post.id}`)
    const absent = await client.tool(UpdatePost, { id: 999_999, title: 'Mine' })
    absent.assertToolError('The user has written no post 999999')
    await post.refresh()
    assert.equal(post.title, 'One')
  })

  test('the endpoint asks strangers to sign in, and for the scopes that are missing', async ({
    client,
  }) => {
    const user = await UserFactory.create()
    const write = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'create_post', arguments: { title: 'A', body: 'B' } },
    }
    const stranger = await client.post('/mcp').json(write)
    stranger.assertStatus(401)
    const reader = await client.post('/mcp').withMcpToken(user, ['mcp:use']).json(write)
    reader.assertStatus(403)
    const writer = await client
      .post('/mcp')
      .withMcpToken(user, ['mcp:use', 'posts:write'])
      .json(write)
    writer.assertStatus(200)
  })
})
