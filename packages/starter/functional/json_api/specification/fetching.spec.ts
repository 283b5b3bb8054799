import { test } from '@japa/runner'

import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'
import { caller, emptyTables, publish } from '#starter/helpers/json_api_calls'
import { judge } from '#starter/helpers/json_api_judge'

/* JSON:API 1.1, "Fetching Data", "Query Parameters" and "Errors", statement by statement. */

const titles = (document: any) => document.data.map(({ attributes }: any) => attributes.title)

test.group('Specification | Fetching Resources', (group) => {
  group.each.setup(() => emptyTables)

  test('a request that succeeds is 200, with an array for a collection', async ({
    client,
    assert,
  }) => {
    const author = await UserFactory.create()
    const call = caller(client, author)
    const empty = await call('GET', `/api/posts?filter[author]=${author.id}`)
    assert.equal(empty.status, 200)
    assert.deepEqual(empty.document.data, [])
    await PostFactory.merge({ userId: author.id }).create()
    const one = await call('GET', `/api/posts?filter[author]=${author.id}`)
    assert.lengthOf(one.document.data, 1)
  })

  test('an individual resource is a resource object', async ({ client, assert }) => {
    const { author, post } = await publish()
    const { status, document } = await caller(client, author)('GET', `/api/posts/${post.id}`)
    assert.equal(status, 200)
    assert.equal(document.data.id, String(post.id))
  })

  test('a resource that does not exist is 404, with error details', async ({ client, assert }) => {
    const { author } = await publish()
    const { status, document } = await caller(client, author)('GET', '/api/posts/0')
    assert.equal(status, 404)
    assert.equal(document.errors[0].status, '404')
  })

  test('every link of a document can be fetched', async ({ client, assert }) => {
    const { author, post } = await publish()
    const call = caller(client, author)
    for (const path of [
      '/api/posts?page[number]=1&page[size]=1',
      '/api/posts?page[after]=&page[size]=1',
      `/api/posts/${post.id}/relationships/comments`,
      `/api/posts/${post.id}/comments`,
    ]) {
      const { document } = await call('GET', path)
      for (const link of Object.values(document.links ?? {}).filter(Boolean) as string[]) {
        assert.equal((await call('GET', link)).status, 200, link)
      }
    }
  })
})

test.group('Specification | Fetching Relationships', (group) => {
  group.each.setup(() => emptyTables)

  test('the relationship link has linkage as primary data, and self and related', async ({
    client,
    assert,
  }) => {
    const { author, post } = await publish()
    const path = `/api/posts/${post.id}/relationships/author`
    const { status, document } = await caller(client, author)('GET', path)
    assert.equal(status, 200)
    assert.deepEqual(document.data, { type: 'users', id: String(author.id) })
    assert.deepEqual(document.links, { self: path, related: `/api/posts/${post.id}/author` })
  })

  test('an empty to-many relationship is 200 with an empty array', async ({ client, assert }) => {
    const author = await UserFactory.create()
    const post = await PostFactory.merge({ userId: author.id }).create()
    const path = `/api/posts/${post.id}/relationships/comments`
    const { status, document } = await caller(client, author)('GET', path)
    assert.equal(status, 200)
    assert.deepEqual(document.data, [])
  })

  test('a relationship link is 404 when the parent or the relationship does not exist', async ({
    client,
    assert,
  }) => {
    const { author, post } = await publish()
    const call = caller(client, author)
    for (const path of [
      '/api/posts/0/relationships/comments',
      `/api/posts/${post.id}/relationships/nothing`,
    ]) {
      assert.equal((await call('GET', path)).status, 404, path)
    }
  })

  test('the related link has the related resources as primary data', async ({ client, assert }) => {
    const { author, post, comments } = await publish()
    const call = caller(client, author)
    const one = await call('GET', `/api/posts/${post.id}/author`)
    assert.equal(one.document.data.type, 'users')
    const many = await call('GET', `/api/posts/${post.id}/comments`)
    assert.lengthOf(many.document.data, comments.length)
  })
})

test.group('Specification | Inclusion of Related Resources', (group) => {
  group.each.setup(() => emptyTables)

  test('without include nothing is included', async ({ client, assert }) => {
    const { author } = await publish()
    const { document } = await caller(client, author)('GET', '/api/posts')
    assert.notProperty(document, 'included')
  })

  test('an empty include asks for an empty included', async ({ client, assert }) => {
    const { author } = await publish()
    const { document } = await caller(client, author)('GET', '/api/posts?include=')
    assert.deepEqual(document.included, [])
  })

  test('include brings what is asked for and nothing unrequested', async ({ client, assert }) => {
    const { author } = await publish()
    const { document } = await caller(client, author)('GET', '/api/posts?include=author')
    assert.deepEqual(
      document.included.map(({ type }: any) => type),
      ['users']
    )
  })

  test('a path of several names brings the resources on its way', async ({ client, assert }) => {
    const { author, reader, comments } = await publish()
    const path = '/api/posts?include=comments.author'
    const { document } = await caller(client, author)('GET', path)
    assert.sameMembers(
      document.included.map(({ type, id }: any) => `${type} ${id}`),
      [...comments.map(({ id }) => `comments ${id}`), `users ${reader.id}`]
    )
  })

  test('a path that leads nowhere is 400 and names the parameter', async ({ client, assert }) => {
    const { author, post } = await publish()
    const call = caller(client, author)
    for (const path of [
      '/api/posts?include=nothing',
      `/api/posts/${post.id}?include=comments.nothing`,
      `/api/posts/${post.id}/comments?include=comments`,
      `/api/posts/${post.id}/relationships/comments?include=author`,
    ]) {
      const { status, document } = await call('GET', path)
      assert.equal(status, 400, path)
      assert.deepEqual(document.errors[0].source, { parameter: 'include' }, path)
    }
  })
})

test.group('Specification | Sparse Fieldsets', (group) => {
  group.each.setup(() => emptyTables)

  test('only the fields that are named are shown', async ({ client, assert }) => {
    const { author } = await publish()
    const path = '/api/posts?include=author&fields[posts]=title&fields[users]=fullName'
    const { document } = await caller(client, author)('GET', path)
    assert.onlyProperties(document.data[0].attributes, ['title'])
    assert.onlyProperties(document.included[0].attributes, ['fullName'])
  })

  test('an empty value shows no fields', async ({ client, assert }) => {
    const { author } = await publish()
    const { document } = await caller(client, author)('GET', '/api/posts?fields[posts]=')
    assert.deepEqual(document.data[0].attributes ?? {}, {})
  })

  test('a type without a fieldset shows all of its fields', async ({ client, assert }) => {
    const { author } = await publish()
    const { document } = await caller(client, author)('GET', '/api/posts?fields[users]=fullName')
    assert.property(document.data[0].attributes, 'body')
  })
})

test.group('Specification | Sorting', (group) => {
  group.each.setup(() => emptyTables)

  test('sort orders by fields, ascending unless a minus stands before one', async ({
    client,
    assert,
  }) => {
    const author = await UserFactory.create()
    for (const title of ['b', 'a', 'c']) {
      await PostFactory.merge({ userId: author.id, title }).create()
    }
    const call = caller(client, author)
    const ascending = await call('GET', '/api/posts?sort=title')
    assert.deepEqual(titles(ascending.document), ['a', 'b', 'c'])
    const descending = await call('GET', '/api/posts?sort=-title')
    assert.deepEqual(titles(descending.document), ['c', 'b', 'a'])
  })

  test('several sort fields apply in the order of their naming', async ({ client, assert }) => {
    const [first, second] = await UserFactory.merge([
      { fullName: 'Ada' },
      { fullName: 'Bob' },
    ]).createMany(2)
    for (const [title, user] of [
      ['b', first],
      ['a', second],
      ['a', first],
    ] as const) {
      await PostFactory.merge({ userId: user!.id, title }).create()
    }
    const path = '/api/posts?include=author&sort=title,-author'
    const { document } = await caller(client, first!)('GET', path)
    const names = new Map(
      document.included.map(({ id, attributes }: any) => [id, attributes.fullName])
    )
    assert.deepEqual(
      document.data.map(
        ({ attributes, relationships }: any) =>
          attributes.title + names.get(relationships.author.data.id)
      ),
      ['aBob', 'aAda', 'bAda']
    )
  })

  test('a sort that is not supported is 400', async ({ client, assert }) => {
    const { author } = await publish()
    const { status, document } = await caller(client, author)('GET', '/api/posts?sort=body')
    assert.equal(status, 400)
    assert.deepEqual(document.errors[0].source, { parameter: 'sort' })
  })
})

test.group('Specification | Pagination and Filtering', (group) => {
  group.each.setup(() => emptyTables)

  test('links are named first, last, prev and next; null where there is none', async ({
    client,
    assert,
  }) => {
    const { author } = await publish()
    const { document } = await caller(client, author)('GET', '/api/posts')
    assert.onlyProperties(document.links, ['first', 'last', 'prev', 'next'])
    assert.isNull(document.links.prev)
    assert.isNull(document.links.next)
  })

  test('pages keep the order of the collection', async ({ client, assert }) => {
    const author = await UserFactory.create()
    for (const title of ['a', 'b', 'c']) {
      await PostFactory.merge({ userId: author.id, title }).create()
    }
    const call = caller(client, author)
    const seen: string[] = []
    let path: string | null = '/api/posts?sort=title&page[number]=1&page[size]=1'
    while (path) {
      const { document } = await call('GET', path)
      seen.push(...titles(document))
      path = document.links.next
    }
    assert.deepEqual(seen, ['a', 'b', 'c'])
  })

  test('page and filter are the families of pagination and filtering', async ({
    client,
    assert,
  }) => {
    const { author, reader } = await publish()
    const call = caller(client, author)
    for (const [id, count] of [
      [author.id, 1],
      [reader.id, 0],
    ] as const) {
      const { document } = await call('GET', `/api/posts?filter[author]=${id}&page[size]=5`)
      assert.lengthOf(document.data, count)
    }
  })
})

test.group('Specification | Query Parameters', (group) => {
  group.each.setup(() => emptyTables)

  test('a parameter of small letters alone that the server does not know is 400', async ({
    client,
    assert,
  }) => {
    const { author } = await publish()
    for (const name of ['unknown', 'unknown[a]', 'includes']) {
      const { status, document } = await caller(client, author)('GET', `/api/posts?${name}=1`)
      assert.equal(status, 400, name)
      assert.deepEqual(document.errors[0].source, { parameter: name })
    }
  })

  test('names of families follow the rules of member names', async ({ client, assert }) => {
    const { author } = await publish()
    const call = caller(client, author)
    assert.equal((await call('GET', '/api/posts?_private=1')).status, 400)
    assert.equal((await call('GET', '/api/posts?traceId=1')).status, 200)
  })
})

test.group('Specification | Errors', (group) => {
  group.each.setup(() => emptyTables)

  test('errors are an array of error objects at the top level', async ({ client, assert }) => {
    const { author } = await publish()
    const call = caller(client, author)
    for (const path of ['/api/posts/0', '/api/posts?sort=x', '/api/posts?page[size]=0']) {
      const { document } = await call('GET', path)
      assert.onlyProperties(document, ['errors'])
      assert.deepEqual(judge(document), [])
    }
  })

  test('a status is a string, and that of the answer', async ({ client, assert }) => {
    const { author } = await publish()
    const { status, document } = await caller(client, author)('GET', '/api/posts?sort=x')
    assert.equal(document.errors[0].status, String(status))
  })

  test('source points at what the request holds: a pointer, a parameter or a header', async ({
    client,
    assert,
  }) => {
    const { author } = await publish()
    const call = caller(client, author)
    const body = { data: { type: 'posts', attributes: { title: '' } } }
    const { document } = await call('POST', '/api/posts', body)
    assert.sameDeepMembers(
      document.errors.map(({ source }: any) => source),
      [{ pointer: '/data/attributes/title' }, { pointer: '/data/attributes' }]
    )
    const parameter = await call('GET', '/api/posts?page[size]=x')
    assert.deepEqual(parameter.document.errors[0].source, { parameter: 'page[size]' })
  })

  test('the server may meet several problems before it answers', async ({ client, assert }) => {
    const { author } = await publish()
    const body = { data: { type: 'posts', attributes: { title: '', body: '' } } }
    const { document } = await caller(client, author)('POST', '/api/posts', body)
    assert.lengthOf(document.errors, 2)
  })
})
