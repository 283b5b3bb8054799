import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

import { CommentFactory } from '#database/factories/comment_factory'
import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'
import Post from '#models/post'
import type User from '#models/user'
import '#starter/helpers/fixtures/json_api_routes'
import { emptyTables } from '#starter/helpers/json_api_calls'
import { readWithJsona, readWithKitsu } from '#starter/helpers/json_api_clients'
import { judge } from '#starter/helpers/json_api_judge'
import { recordStatements, withoutTransactions } from '#starter/helpers/statements'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const MEDIA_TYPE = 'application/vnd.api+json'

/** Posts by an author, each with comments of a reader. */
async function publish(author: User, reader: User, count: number, commentsEach = 2) {
  const posts = await PostFactory.merge(
    Array.from({ length: count }, (_, index) => ({ userId: author.id, title: `Post ${index + 1}` }))
  ).createMany(count)
  for (const post of posts) {
    await CommentFactory.merge({ postId: post.id, userId: reader.id }).createMany(commentsEach)
  }
  return posts
}

/** Sends a request and reads the document, which has to be one. */
async function fetchDocument(assert: any, visitor: Visitor, path: string, status = 200) {
  const response = await visitor.get(path)
  const document: any = await response.json()
  assert.equal(response.status, status, JSON.stringify(document))
  assert.equal(response.headers.get('content-type'), MEDIA_TYPE)
  assert.deepEqual(judge(document), [])
  return document
}

async function createPost(visitor: Visitor, document: unknown, query = '') {
  const response = await visitor.post(`/api/posts${query}`, {
    body: JSON.stringify(document),
    headers: { 'content-type': MEDIA_TYPE },
  })
  return { response, document: (await response.json()) as any }
}

test.group('GET /api/posts', (group) => {
  group.each.setup(() => emptyTables)

  test('is a page of posts, the newest first, with meta of six keys and four links', async ({
    assert,
  }) => {
    const [author, reader] = await UserFactory.createMany(2)
    await publish(author!, reader!, 25, 0)
    const visitor = await Visitor.as(reader!)

    const first = await fetchDocument(assert, visitor, '/api/posts')
    assert.lengthOf(first.data, 20)
    assert.equal(first.data[0].attributes.title, 'Post 25')
    assert.deepEqual(first.meta, {
      total: 25,
      per_page: 20,
      current_page: 1,
      last_page: 2,
      next_page: 2,
      previous_page: null,
    })
    assert.deepEqual(first.links, {
      first: '/api/posts?page=1',
      last: '/api/posts?page=2',
      prev: null,
      next: '/api/posts?page=2',
    })
    assert.notProperty(first, 'included')

    const last = await fetchDocument(assert, visitor, first.links.next)
    assert.lengthOf(last.data, 5)
    assert.deepInclude(last.meta, { current_page: 2, next_page: null, previous_page: 1 })
    assert.deepInclude(last.links, { prev: '/api/posts?page=1', next: null })

    const beyond = await fetchDocument(assert, visitor, '/api/posts?page=9')
    assert.deepEqual(beyond.data, [])
  })

  test('is an empty list when there are no posts', async ({ assert }) => {
    const visitor = await Visitor.as(await UserFactory.create())
    const document = await fetchDocument(assert, visitor, '/api/posts?include=comments.author')
    assert.deepEqual(document.data, [])
    assert.deepEqual(document.included, [])
    assert.equal(document.meta.last_page, 1)
  })

  test('links keep the other parameters, whatever they are', async ({ assert }) => {
    const [author, reader] = await UserFactory.createMany(2)
    await publish(author!, reader!, 5)
    const visitor = await Visitor.as(reader!)

    const document = await fetchDocument(
      assert,
      visitor,
      '/api/posts?include=author&fields[posts]=title&sort=title&page[size]=2&page[number]=2'
    )
    assert.deepEqual(
      document.data.map((post: any) => post.attributes),
      [{ title: 'Post 3' }, { title: 'Post 4' }]
    )
    const next = new URL(document.links.next, 'http://localhost')
    assert.deepEqual(Object.fromEntries(next.searchParams), {
      'include': 'author',
      'fields[posts]': 'title',
      'sort': 'title',
      'page[size]': '2',
      'page[number]': '3',
    })
    const following = await fetchDocument(assert, visitor, document.links.next)
    assert.deepEqual(following.data[0].attributes, { title: 'Post 5' })
    assert.lengthOf(following.included, 1)
  })

  test('sorts by a named list, descending behind a minus', async ({ assert }) => {
    const [author, reader] = await UserFactory.createMany(2)
    await publish(author!, reader!, 3, 0)
    const visitor = await Visitor.as(reader!)
    const titles = async (query: string) => {
      const { data } = await fetchDocument(assert, visitor, `/api/posts?${query}`)
      return data.map((post: any) => post.attributes.title)
    }
    assert.deepEqual(await titles('sort=title'), ['Post 1', 'Post 2', 'Post 3'])
    assert.deepEqual(await titles('sort=-title'), ['Post 3', 'Post 2', 'Post 1'])
    assert.deepEqual(await titles('sort=createdAt,-title'), await titles('sort=createdAt%2C-title'))
  })

  test('posts of the same instant have an order, so that no page repeats or skips one', async ({
    assert,
  }) => {
    const [author, reader] = await UserFactory.createMany(2)
    const createdAt = DateTime.utc(2026, 1, 2)
    const posts = await PostFactory.merge({
      userId: author!.id,
      title: 'Same',
      createdAt,
    }).createMany(6)
    const visitor = await Visitor.as(reader!)
    for (const sort of ['', '&sort=title', '&sort=createdAt']) {
      const ids: number[] = []
      for (const page of [1, 2, 3]) {
        const path = `/api/posts?page[number]=${page}&page[size]=2${sort}`
        const { data } = await fetchDocument(assert, visitor, path)
        ids.push(...data.map(({ id }: any) => Number(id)))
      }
      assert.deepEqual(ids, posts.map(({ id }) => id).reverse())
    }
  })

  test('a parameter that cannot be honoured is 400 and named', async ({ assert }) => {
    const visitor = await Visitor.as(await UserFactory.create())
    for (const [query, parameter] of [
      ['page=0', 'page'],
      ['page=two', 'page'],
      ['page=', 'page'],
      ['page=1&page=2', 'page'],
      ['page[size]=101', 'page[size]'],
      ['page[number]=-1', 'page[number]'],
      ['page[offset]=1', 'page'],
      ['sort=password', 'sort'],
      ['sort=user_id', 'sort'],
      ['include=bogus', 'include'],
      ['include=author.posts', 'include'],
      ['include=comments.bogus', 'include'],
      ['filter[title]=x', 'filter[title]'],
      ['fields=title', 'fields'],
    ]) {
      const document = await fetchDocument(assert, visitor, `/api/posts?${query}`, 400)
      assert.deepEqual(document.errors[0].source, { parameter }, query)
    }
  })

  test('includes authors and comments, read back alike by two clients', async ({ assert }) => {
    const [author, reader] = await UserFactory.createMany(2)
    await publish(author!, reader!, 3)
    const visitor = await Visitor.as(reader!)
    const document = await fetchDocument(
      assert,
      visitor,
      '/api/posts?include=author,comments.author'
    )
    assert.lengthOf(document.included, 8)

    const byJsona = readWithJsona(document)
    const byKitsu = readWithKitsu(document)
    const posts = await Post.query().orderBy('id', 'desc').preload('comments')
    assert.lengthOf(byJsona, posts.length)
    assert.lengthOf(byKitsu, posts.length)
    posts.forEach((post, index) => {
      for (const [read, unwrap] of [
        [byJsona[index], (value: any) => value],
        [byKitsu[index], (value: any) => value.data],
      ] as const) {
        assert.equal(read.id, String(post.id))
        assert.equal(read.title, post.title)
        assert.equal(read.createdAt, post.createdAt.toISO())
        assert.equal(unwrap(read.author).fullName, author!.fullName)
        assert.deepEqual(
          unwrap(read.comments).map(({ id, body }: any) => [id, body]),
          post.comments.map(({ id, body }) => [String(id), body])
        )
        assert.equal(unwrap(unwrap(read.comments)[0].author).fullName, reader!.fullName)
      }
    })
  })

  test('hides ids and foreign keys, and shows an e-mail address to its owner alone', async ({
    assert,
  }) => {
    const [author, reader] = await UserFactory.createMany(2)
    await publish(author!, reader!, 1)
    const visitor = await Visitor.as(reader!)
    const { data, included } = await fetchDocument(
      assert,
      visitor,
      '/api/posts?include=author,comments.author'
    )
    assert.onlyProperties(data[0].attributes, ['title', 'body', 'createdAt', 'updatedAt'])
    const byType = (type: string) => included.filter((one: any) => one.type === type)
    assert.onlyProperties(byType('comments')[0].attributes, ['body', 'createdAt', 'updatedAt'])

    const users = byType('users')
    const stranger = users.find((one: any) => one.id === String(author!.id))
    const self = users.find((one: any) => one.id === String(reader!.id))
    assert.onlyProperties(stranger.attributes, ['fullName', 'createdAt'])
    assert.equal(self.attributes.email, reader!.email)
    assert.notInclude(JSON.stringify({ data, included }), author!.email)
    assert.notInclude(JSON.stringify({ data, included }), 'password')
  })

  test('takes the same number of queries for 2 and for 40 posts', async ({ assert }) => {
    const [author, reader] = await UserFactory.createMany(2)
    await publish(author!, reader!, 40)
    const visitor = await Visitor.as(reader!)
    const count = async (size: number) => {
      const statements = await recordStatements(() =>
        visitor.get(`/api/posts?include=author,comments.author&page[size]=${size}`)
      )
      /* That the token is used is noted in the background. */
      return withoutTransactions(statements).filter((sql) => !/last_used_at = /.test(sql)).length
    }
    assert.equal(await count(40), await count(2))
  })

  test('is 401 with a challenge for strangers, as an errors document', async ({ assert }) => {
    const response = await new Visitor().get('/api/posts')
    const document: any = await response.json()
    assert.equal(response.status, 401)
    assert.equal(response.headers.get('content-type'), MEDIA_TYPE)
    assert.equal(response.headers.get('www-authenticate'), 'Bearer')
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.deepEqual(judge(document), [])
    assert.equal(document.errors[0].status, '401')
  })

  test('is an errors document for a browser too, never a redirect', async ({ assert }) => {
    const response = await new Visitor().get('/api/posts', { headers: { accept: 'text/html' } })
    assert.equal(response.status, 401)
    assert.equal(response.headers.get('content-type'), MEDIA_TYPE)
    assert.isNull(response.headers.get('location'))
  })

  test('another method is 405 with Allow', async ({ assert }) => {
    const response = await new Visitor().request('PUT', '/api/posts')
    assert.equal(response.status, 405)
    assert.equal(response.headers.get('allow'), 'GET, HEAD, POST')
    assert.deepEqual(judge(await response.json()), [])
  })
})

test.group('GET /api/posts with public reads', (group) => {
  group.each.setup(() => emptyTables)

  test('lets anyone read, and still recognises the caller', async ({ assert }) => {
    const [author, reader] = await UserFactory.createMany(2)
    const [post] = await publish(author!, reader!, 1)
    const path = `/_test/public/posts/${post!.id}?include=author`

    const stranger = await fetchDocument(assert, new Visitor(), path)
    assert.notProperty(stranger.included[0].attributes, 'email')
    const own = await fetchDocument(assert, await Visitor.as(author!), path)
    assert.equal(own.included[0].attributes.email, author!.email)
    await fetchDocument(assert, new Visitor(), '/_test/public/posts')
  })

  test('does not let anyone write', async ({ assert }) => {
    const response = await new Visitor().post('/_test/public/posts', {
      body: '{}',
      headers: { 'content-type': MEDIA_TYPE },
    })
    assert.equal(response.status, 401)
  })
})

test.group('GET /api/posts/:id', (group) => {
  group.each.setup(() => emptyTables)

  test('is the post', async ({ assert }) => {
    const [author, reader] = await UserFactory.createMany(2)
    const [post] = await publish(author!, reader!, 1)
    const visitor = await Visitor.as(reader!)
    const { data, included } = await fetchDocument(
      assert,
      visitor,
      `/api/posts/${post!.id}?include=comments&fields[comments]=body`
    )
    assert.equal(data.type, 'posts')
    assert.equal(data.id, String(post!.id))
    assert.equal(data.attributes.title, post!.title)
    assert.lengthOf(data.relationships.comments.data, 2)
    assert.onlyProperties(included[0].attributes, ['body'])
  })

  test('is 404 for what is not there, and for ids that no post can have', async ({ assert }) => {
    const visitor = await Visitor.as(await UserFactory.create())
    for (const id of [
      '999999',
      '0',
      '-1',
      'abc',
      '1.5',
      '1e3',
      '2147483648',
      '9'.repeat(30),
      '%00',
    ]) {
      const document = await fetchDocument(assert, visitor, `/api/posts/${id}`, 404)
      assert.equal(document.errors[0].status, '404')
    }
  })

  test('is 400 for a parameter that a single post does not have', async ({ assert }) => {
    const [author, reader] = await UserFactory.createMany(2)
    const [post] = await publish(author!, reader!, 1)
    const visitor = await Visitor.as(reader!)
    for (const query of ['sort=title', 'page=1', 'include=nothing']) {
      await fetchDocument(assert, visitor, `/api/posts/${post!.id}?${query}`, 400)
    }
  })

  test('is 401 for strangers, whether the post is there or not', async ({ assert }) => {
    await fetchDocument(assert, new Visitor(), '/api/posts/1', 401)
  })
})

test.group('POST /api/posts', (group) => {
  group.each.setup(() => emptyTables)

  const attributes = { title: 'Hello', body: 'World' }
  const hello = { data: { type: 'posts', attributes } }

  test('creates a post of the caller: 201 with its document and Location', async ({ assert }) => {
    const user = await UserFactory.create()
    const visitor = await Visitor.as(user)
    const { response, document } = await createPost(visitor, hello)

    assert.equal(response.status, 201)
    assert.equal(response.headers.get('content-type'), MEDIA_TYPE)
    assert.deepEqual(judge(document), [])
    assert.deepInclude(document.data.attributes, attributes)
    assert.equal(response.headers.get('location'), `/api/posts/${document.data.id}`)

    const post = await Post.findOrFail(document.data.id)
    assert.equal(post.userId, user.id)
    const fetched = await fetchDocument(assert, visitor, response.headers.get('location')!)
    assert.deepEqual(fetched, document)
  })

  test('honours include and fields', async ({ assert }) => {
    const user = await UserFactory.create()
    const { document } = await createPost(
      await Visitor.as(user),
      hello,
      '?include=author,comments&fields[posts]=title'
    )
    assert.deepEqual(document.data.attributes, { title: 'Hello' })
    assert.deepEqual(document.data.relationships.comments.data, [])
    assert.equal(document.included[0].id, String(user.id))
  })

  test('writes nothing when the answer cannot be given', async ({ assert }) => {
    const visitor = await Visitor.as(await UserFactory.create())
    for (const query of [
      '?include=nothing',
      '?include=comments.nothing',
      '?include=author.nothing',
      '?fields=x',
      '?sort=title',
    ]) {
      const { response, document } = await createPost(visitor, hello, query)
      assert.equal(response.status, 400, query)
      assert.deepEqual(judge(document), [])
    }
    assert.lengthOf(await Post.all(), 0)
  })

  test('refuses what is no new post, and points at it', async ({ assert }) => {
    const visitor = await Visitor.as(await UserFactory.create())
    const post = (more: object) => ({ data: { type: 'posts', attributes, ...more } })
    for (const [sent, status, pointer] of [
      [{}, 400, ''],
      [[], 400, ''],
      [{ data: null }, 400, '/data'],
      [{ data: [] }, 400, '/data'],
      [{ data: 'x' }, 400, '/data'],
      [{ data: { attributes } }, 400, '/data'],
      [{ data: { type: 7, attributes } }, 400, '/data'],
      [{ data: { type: 'users', attributes } }, 409, '/data/type'],
      [post({ id: '7' }), 403, '/data/id'],
      [post({ id: '550e8400-e29b-41d4-a716-446655440000' }), 403, '/data/id'],
      [post({ attributes: 'x' }), 400, '/data/attributes'],
      [post({ attributes: [] }), 400, '/data/attributes'],
      [post({ relationships: [] }), 400, '/data/relationships'],
      [post({ relationships: { author: null } }), 400, '/data/relationships/author'],
      [post({ relationships: { author: {} } }), 400, '/data/relationships/author'],
      [
        post({ relationships: { author: { data: { type: 'users', id: '1' } } } }),
        403,
        '/data/relationships/author',
      ],
      [post({ relationships: { 'a/b~c': { data: null } } }), 403, '/data/relationships/a~1b~0c'],
      [{ data: { type: 'posts' } }, 422, '/data'],
      [post({ attributes: {} }), 422, '/data/attributes'],
      [post({ attributes: { title: '', body: 'x' } }), 422, '/data/attributes/title'],
      [post({ attributes: { title: ' ', body: 'x' } }), 422, '/data/attributes/title'],
      [post({ attributes: { title: 7, body: 'x' } }), 422, '/data/attributes/title'],
      [post({ attributes: { title: 'x'.repeat(256), body: 'x' } }), 422, '/data/attributes/title'],
      [post({ attributes: { title: 'x', body: 'a\0b' } }), 422, '/data/attributes/body'],
      [post({ attributes: { title: 'x', body: ['x'] } }), 422, '/data/attributes/body'],
    ] as [object, number, string][]) {
      const { response, document } = await createPost(visitor, sent)
      assert.equal(response.status, status, JSON.stringify(sent))
      assert.deepEqual(judge(document), [])
      assert.equal(document.errors[0].status, String(status))
      assert.equal(document.errors[0].source.pointer, pointer, JSON.stringify(sent))
    }
    assert.lengthOf(await Post.all(), 0)
  })

  test('tells every invalid attribute at once', async ({ assert }) => {
    const visitor = await Visitor.as(await UserFactory.create())
    const { document } = await createPost(visitor, {
      data: { type: 'posts', attributes: { title: 1, body: 2 } },
    })
    assert.deepEqual(
      document.errors.map(({ source }: any) => source.pointer),
      ['/data/attributes/title', '/data/attributes/body']
    )
  })

  test('an attribute cannot make it somebody else’s', async ({ assert }) => {
    const [user, other] = await UserFactory.createMany(2)
    const { document } = await createPost(await Visitor.as(user!), {
      data: {
        type: 'posts',
        attributes: { ...attributes, userId: other!.id, user_id: other!.id, id: 9 },
      },
    })
    const post = await Post.findOrFail(document.data.id)
    assert.equal(post.userId, user!.id)
  })

  test('without the CSRF token of the session is 403, as an errors document', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const response = await visitor.post('/api/posts', {
      body: JSON.stringify(hello),
      headers: { 'content-type': MEDIA_TYPE },
    })
    const document: any = await response.json()
    assert.equal(response.status, 403)
    assert.deepEqual(judge(document), [])
    assert.equal(document.errors[0].code, 'csrf_token_mismatch')
    assert.lengthOf(await Post.all(), 0)
  })

  test('is 401 for strangers', async ({ assert }) => {
    const { response, document } = await createPost(new Visitor(), hello)
    assert.equal(response.status, 401)
    assert.deepEqual(judge(document), [])
  })
})

test.group('Scopes of /api/posts', (group) => {
  group.each.setup(() => emptyTables)

  const hello = { data: { type: 'posts', attributes: { title: 'Hello', body: 'World' } } }
  const REFUSALS = ['other', 'posts', 'posts:readable', 'posts:*']

  test('an API token reads with posts:read, and with nothing less', async ({ assert, client }) => {
    const [author, reader] = await UserFactory.createMany(2)
    const [post] = await publish(author!, reader!, 1)
    for (const path of ['/api/posts', `/api/posts/${post!.id}`]) {
      for (const abilities of [['posts:read'], ['other', 'posts:read'], ['*']]) {
        const response = await client.get(path).withApiToken(reader!, abilities)
        response.assertStatus(200)
        assert.deepEqual(judge(response.body()), [])
      }
      for (const ability of [...REFUSALS, 'posts:write']) {
        const response = await client.get(path).withApiToken(reader!, [ability])
        response.assertStatus(403)
        assert.equal(response.header('content-type'), MEDIA_TYPE)
        assert.deepEqual(judge(response.body()), [])
        assert.equal(response.body().errors[0].code, 'insufficient_scope')
      }
    }
  })

  test('an API token writes with posts:write, without CSRF, and with nothing less', async ({
    assert,
    client,
  }) => {
    const user = await UserFactory.create()
    for (const ability of [...REFUSALS, 'posts:read']) {
      const response = await client
        .post('/api/posts')
        .json(hello)
        .header('Content-Type', MEDIA_TYPE)
        .withApiToken(user, [ability])
      response.assertStatus(403)
      assert.equal(response.body().errors[0].code, 'insufficient_scope')
    }
    assert.lengthOf(await Post.all(), 0)

    const response = await client
      .post('/api/posts')
      .json(hello)
      .header('Content-Type', MEDIA_TYPE)
      .withApiToken(user, ['posts:write'])
    response.assertStatus(201)
    const post = await Post.findOrFail(response.body().data.id)
    assert.equal(post.userId, user.id)
  })

  test('a bad token is 401, as an errors document', async ({ assert, client }) => {
    for (const token of ['1|x', 'x', '|', `${'9'.repeat(30)}|x`]) {
      const response = await client.get('/api/posts').bearerToken(token)
      response.assertStatus(401)
      assert.deepEqual(judge(response.body()), [])
      assert.equal(response.header('www-authenticate'), 'Bearer')
    }
  })

  test('a token without a user reads with posts:read, and cannot write', async ({
    assert,
    client,
  }) => {
    const read = await client.get('/_test/machine/posts').header('X-Scopes', 'posts:read')
    read.assertStatus(200)
    const unscoped = await client.get('/_test/machine/posts').header('X-Scopes', 'other')
    unscoped.assertStatus(403)

    const written = await client
      .post('/_test/machine/posts')
      .json(hello)
      .header('Content-Type', MEDIA_TYPE)
      .header('X-Scopes', 'posts:write')
    written.assertStatus(401)
    assert.deepEqual(judge(written.body()), [])
    assert.lengthOf(await Post.all(), 0)
  })
})

test.group('Seeder', (group) => {
  group.each.setup(() => emptyTables)

  test('gives enough rows to look at', async ({ assert }) => {
    const { default: PostSeeder } = await import('#database/seeders/post_seeder')
    await new PostSeeder(db.connection()).run()
    const posts = await Post.query().preload('author').preload('comments')
    assert.isAbove(posts.length, 50)
    assert.isTrue(posts.every((post) => post.author && post.comments.length === 3))
  })
})
