import { test } from '@japa/runner'

import { CommentFactory } from '#database/factories/comment_factory'
import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'
import { type Answer, caller, emptyTables, publish } from '#starter/helpers/json_api_calls'
import { judge } from '#starter/helpers/json_api_judge'
import { recordStatements } from '#starter/helpers/statements'

const PROFILE = 'https://jsonapi.org/profiles/ethanresnick/cursor-pagination/'
const PROFILED = `application/vnd.api+json; profile="${PROFILE}"`

const titles = ({ document }: Answer) =>
  document.data.map(({ attributes }: any) => attributes.title)

/** The columns of the statement that reads posts. */
async function selected(request: () => Promise<unknown>) {
  const statements = await recordStatements(request)
  const reading = statements.find((sql) => /from .posts./.test(sql) && !/count\(/.test(sql))!
  return reading.replaceAll(/["`]/g, '').split(' from ', 1)[0]!
}

test.group('Fields of a list of posts', (group) => {
  group.each.setup(() => emptyTables)

  test('select the columns that they show, the id and keys of relations', async ({
    client,
    assert,
  }) => {
    const { author } = await publish()
    const call = caller(client, author)
    let answer!: Answer
    const columns = await selected(async () => {
      answer = await call('GET', '/api/posts?fields[posts]=title&include=author,comments')
    })
    assert.equal(columns, 'select posts.id, posts.title, posts.user_id')
    assert.deepEqual(judge(answer.document), [])
    assert.onlyProperties(answer.document.data[0].attributes, ['title'])
    assert.lengthOf(answer.document.included, 3)
  })

  test('select them behind a cursor too', async ({ client, assert }) => {
    const { author } = await publish()
    const call = caller(client, author)
    const columns = await selected(() => call('GET', '/api/posts?fields[posts]=title&page[after]='))
    assert.match(columns, /^select posts\.id, posts\.title, posts\.user_id, cast\(/)
  })

  test('of another type, or none, select whole rows', async ({ client, assert }) => {
    const { author } = await publish()
    const call = caller(client, author)
    for (const query of ['', '?fields[users]=fullName']) {
      const columns = await selected(() => call('GET', `/api/posts${query}`))
      assert.equal(columns, 'select posts.*')
    }
  })
})

test.group('Sort by a column of a table that the query joins', (group) => {
  group.each.setup(() => emptyTables)

  test('orders posts by their authors’ names', async ({ client, assert }) => {
    const [ada, bob] = await UserFactory.merge([
      { fullName: 'Ada' },
      { fullName: 'Bob' },
    ]).createMany(2)
    await PostFactory.merge({ userId: bob!.id, title: 'of Bob' }).create()
    const post = await PostFactory.merge({ userId: ada!.id, title: 'of Ada' }).create()
    await CommentFactory.merge({ postId: post.id, userId: bob!.id }).create()
    const call = caller(client, ada!)
    assert.deepEqual(titles(await call('GET', '/api/posts?sort=author')), ['of Ada', 'of Bob'])
    assert.deepEqual(titles(await call('GET', '/api/posts?sort=-author')), ['of Bob', 'of Ada'])

    const path = `/api/posts?sort=author&include=author,comments&filter[author]=${ada!.id}`
    const { document } = await call('GET', path)
    assert.deepEqual(judge(document), [])
    assert.equal(document.data[0].id, String(post.id))
    assert.equal(document.meta.total, 1)
  })

  test('joins nothing when nobody sorts by it', async ({ client, assert }) => {
    const { author } = await publish()
    const call = caller(client, author)
    const statements = await recordStatements(() => call('GET', '/api/posts?sort=title'))
    assert.isFalse(
      statements.some((sql) => /join .users.+from .posts.|from .posts. .*join/.test(sql))
    )
  })
})

test.group('The profile of cursor pages', (group) => {
  group.each.setup(() => emptyTables)

  test('is a parameter of their Content-Type, and of no other page', async ({ client, assert }) => {
    const { author, post } = await publish()
    const call = caller(client, author)
    for (const path of ['/api/posts?page[after]=', `/api/posts/${post.id}/comments`]) {
      assert.equal((await call('GET', path)).headers['content-type'], PROFILED, path)
    }
    const counted = await call('GET', '/api/posts?page[number]=1')
    assert.equal(counted.headers['content-type'], 'application/vnd.api+json')
  })

  test('names its errors by their type', async ({ client, assert }) => {
    const { author } = await publish()
    const call = caller(client, author)
    for (const [query, parameter, kind] of [
      ['page[after]=&page[size]=101', 'page[size]', 'max-size-exceeded'],
      ['page[after]=&sort=author', 'sort', 'unsupported-sort'],
      ['page[after]=a&page[before]=b', 'page[before]', 'range-pagination-not-supported'],
    ] as const) {
      const { status, headers, document } = await call('GET', `/api/posts?${query}`)
      assert.equal(status, 400, query)
      assert.equal(headers['content-type'], PROFILED)
      assert.deepEqual(document.errors[0].source, { parameter })
      assert.deepEqual(document.errors[0].links, { type: `${PROFILE}${kind}` })
    }
  })

  test('tells the largest size when a page is too large', async ({ client, assert }) => {
    const { author } = await publish()
    const path = '/api/posts?page[after]=&page[size]=101'
    const { document } = await caller(client, author)('GET', path)
    assert.deepEqual(document.errors[0].meta, { page: { maxSize: 100 } })
  })
})
