import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'
import { mcp } from '#kit/testing/mcp'
import { legacy } from '#starter/helpers/mcp_wire'
import SummarizePost from '#mcp/prompts/summarize_post'
import LatestPosts from '#mcp/resources/latest_posts'
import PostResource from '#mcp/resources/post'
import BlogServer from '#mcp/servers/blog_server'
import CountWords from '#mcp/tools/count_words'
import ReadPost from '#mcp/tools/read_post'
import SearchPosts from '#mcp/tools/search_posts'

async function write(title: string, body = 'Some text', fullName: string | null = 'Ann') {
  const author = await UserFactory.merge({ fullName }).create()
  return PostFactory.merge({ userId: author.id, title, body }).create()
}

test.group('MCP blog server', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('offers tools, a prompt, resources and a template at /mcp', async ({ assert }) => {
    const names: string[] = []
    for (const [method, key] of [
      ['tools/list', 'tools'],
      ['prompts/list', 'prompts'],
      ['resources/list', 'resources'],
      ['resources/templates/list', 'resourceTemplates'],
    ]) {
      const { body } = await legacy('/mcp', method!)
      names.push(...body.result[key!].map(({ name }: { name: string }) => name))
    }
    assert.deepEqual(names, [
      'search_posts',
      'read_post',
      'count_words',
      'my_posts',
      'create_post',
      'update_post',
      'summarize_post',
      'latest_posts',
      'my_posts_card',
      'post',
    ])
  })

  test('search_posts finds words in titles and bodies, the newest first', async ({ assert }) => {
    await write('About cats')
    await write('Other things', 'A story of a CAT')
    await write('Dogs')
    const reply = await mcp(BlogServer).tool(SearchPosts, { query: 'cat' })
    reply.assertOk()
    const { posts } = reply.result.structuredContent
    assert.deepEqual(
      posts.map(({ title }: { title: string }) => title),
      ['Other things', 'About cats']
    )
  })

  test('search_posts shows an excerpt and the name of the author, and no more', async ({
    assert,
  }) => {
    const post = await write('About cats', 'x'.repeat(500))
    const reply = await mcp(BlogServer).tool(SearchPosts, { query: 'cats' })
    const [found] = reply.result.structuredContent.posts
    assert.deepInclude(found, { id: post.id, title: 'About cats', author: 'Ann' })
    assert.lengthOf(found.excerpt, 200)
    assert.isTrue(DateTime.fromISO(found.createdAt).isValid)
    reply.assertDontSee('@example.com')
  })

  test('search_posts takes wildcards of SQL for what they are', async ({ assert }) => {
    await write('100% sure')
    await write('100 things')
    await write('snake_case!')
    await write('snakeXcase')
    for (const [query, title] of [
      ['100%', '100% sure'],
      ['snake_', 'snake_case!'],
      ['case!', 'snake_case!'],
    ]) {
      const reply = await mcp(BlogServer).tool(SearchPosts, { query })
      assert.deepEqual(
        reply.result.structuredContent.posts.map((one: { title: string }) => one.title),
        [title]
      )
    }
    const none = await mcp(BlogServer).tool(SearchPosts, { query: `'; drop table posts; --` })
    none.assertOk().assertStructured({ posts: [] })
  })

  test('search_posts gives as many as asked for, and validates', async ({ assert }) => {
    await Promise.all([write('cat 1'), write('cat 2'), write('cat 3')])
    const two = await mcp(BlogServer).tool(SearchPosts, { query: 'cat', limit: 2 })
    assert.lengthOf(two.result.structuredContent.posts, 2)
    const wrong = [{}, { query: ' ' }, { query: 'a\0' }, { query: 'a', limit: 0 }]
    for (const args of [...wrong, { query: 'a', limit: 51 }]) {
      const reply = await mcp(BlogServer).tool(SearchPosts, args)
      reply.assertToolError('Invalid arguments')
    }
  })

  test('read_post gives the text, and a link to the resource', async ({ assert }) => {
    const post = await write('About cats', 'Cats sleep.', null)
    const reply = await mcp(BlogServer).tool(ReadPost, { id: post.id })
    reply.assertOk().assertSee('# About cats').assertSee('Cats sleep.').assertDontSee('null')
    assert.equal(reply.result.content[1].uri, `blog://posts/${post.id}`)
  })

  test('read_post says so when there is no such post', async () => {
    for (const id of [999_999, 2 ** 31, 2 ** 53 - 1]) {
      const reply = await mcp(BlogServer).tool(ReadPost, { id })
      reply.assertToolError(`There is no post ${id}`)
    }
    const wrong = await mcp(BlogServer).tool(ReadPost, { id: 'x' })
    wrong.assertToolError('Invalid arguments')
  })

  test('count_words counts words of any script', async () => {
    for (const [text, words] of [
      ['Hello, big world!', 3],
      ["don't stop", 2],
      ['', 0],
      ['你好世界', 2],
    ] as const) {
      const reply = await mcp(BlogServer).tool(CountWords, { text })
      reply.assertOk().assertStructured({ words })
    }
  })

  test('summarize_post embeds the post and asks for a style', async ({ assert }) => {
    const post = await write('About cats', 'Cats sleep.')
    const reply = await mcp(BlogServer).prompt(SummarizePost, {
      id: String(post.id),
      style: 'bullet points',
    })
    reply.assertOk().assertSee('bullet points')
    assert.include(reply.result.messages[0].content.resource.text, 'Cats sleep.')

    const unknown = await mcp(BlogServer).prompt(SummarizePost, { id: '999999' })
    unknown.assertError(-32602)
  })

  test('summarize_post suggests ids and styles', async () => {
    const post = await write('About cats')
    const ids = await mcp(BlogServer).complete(SummarizePost, 'id', String(post.id))
    ids.assertCompletions([String(post.id)])
    const styles = await mcp(BlogServer).complete(SummarizePost, 'style', 'b')
    styles.assertCompletions(['bullet points'])
  })

  test('the resource has the newest posts, the template any post', async ({ assert }) => {
    const post = await write('About cats')
    const latest = await mcp(BlogServer).resource(LatestPosts)
    latest.assertOk()
    assert.equal(JSON.parse(latest.text)[0].id, post.id)

    const one = await mcp(BlogServer).resource(`blog://posts/${post.id}`)
    one.assertOk().assertSee('# About cats')
    for (const id of ['999999', 'x', '1e3', '99999999999', '%00']) {
      const reply = await mcp(BlogServer).resource(`blog://posts/${id}`)
      reply.assertError(-32602)
    }
    const ids = await mcp(BlogServer).complete(PostResource, 'id', String(post.id))
    ids.assertCompletions([String(post.id)])
  })
})
