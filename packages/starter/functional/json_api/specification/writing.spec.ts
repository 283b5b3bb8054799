import { test } from '@japa/runner'

import { PostFactory } from '#database/factories/post_factory'
import Comment from '#models/comment'
import Post from '#models/post'
import { caller, changeOf, emptyTables, newPost, publish } from '#starter/helpers/json_api_calls'

/* JSON:API 1.1, "Creating, Updating and Deleting Resources", statement by statement. */

test.group('Specification | Creating Resources', (group) => {
  group.each.setup(() => emptyTables)

  test('a created resource is 201, with Location and its document', async ({ client, assert }) => {
    const { author } = await publish()
    const { status, headers, document } = await caller(client, author)(
      'POST',
      '/api/posts',
      newPost()
    )
    assert.equal(status, 201)
    assert.equal(headers.location, `/api/posts/${document.data.id}`)
    assert.equal(document.data.attributes.title, 'Hello')
  })

  test('Location leads to the resource, and to the same document', async ({ client, assert }) => {
    const { author } = await publish()
    const call = caller(client, author)
    const created = await call('POST', '/api/posts', newPost())
    const read = await call('GET', created.headers.location!)
    assert.equal(read.status, 200)
    assert.deepEqual(read.document, created.document)
  })

  test('the document has one resource object, with at least a type', async ({ client, assert }) => {
    const { author } = await publish()
    for (const [body, pointer] of [
      [{}, ''],
      [[], ''],
      [{ data: [newPost().data] }, '/data'],
      [{ data: null }, '/data'],
      [{ data: {} }, '/data'],
    ] as const) {
      const { status, document } = await caller(client, author)('POST', '/api/posts', body)
      assert.equal(status, 400, JSON.stringify(body))
      assert.deepEqual(document.errors[0].source, { pointer }, JSON.stringify(body))
    }
  })

  test('a relationship of a new resource is an object with data', async ({ client, assert }) => {
    const { author } = await publish()
    for (const relationships of [[], { author: {} }, { author: null }]) {
      const { status } = await caller(client, author)(
        'POST',
        '/api/posts',
        newPost({ relationships })
      )
      assert.equal(status, 400, JSON.stringify(relationships))
    }
  })

  test('an unsupported client-generated id is 403', async ({ client, assert }) => {
    const { author } = await publish()
    const { status, document } = await caller(client, author)(
      'POST',
      '/api/posts',
      newPost({ id: '7' })
    )
    assert.equal(status, 403)
    assert.deepEqual(document.errors[0].source, { pointer: '/data/id' })
  })

  test('a type that is not of the collection is 409, and points at it', async ({
    client,
    assert,
  }) => {
    const { author } = await publish()
    const { status, document } = await caller(client, author)(
      'POST',
      '/api/posts',
      newPost({ type: 'users' })
    )
    assert.equal(status, 409)
    assert.deepEqual(document.errors[0].source, { pointer: '/data/type' })
  })
})

test.group('Specification | Updating Resources', (group) => {
  group.each.setup(() => emptyTables)

  test('missing attributes keep their values', async ({ client, assert }) => {
    const { author, post } = await publish()
    const { document } = await caller(client, author)(
      'PATCH',
      `/api/posts/${post.id}`,
      changeOf(post)
    )
    assert.equal(document.data.attributes.title, 'After')
    assert.equal(document.data.attributes.body, post.body)
  })

  test('a change of more than was asked for is 200 with the resource', async ({
    client,
    assert,
  }) => {
    const { author, post } = await publish()
    const call = caller(client, author)
    const changed = await call('PATCH', `/api/posts/${post.id}`, changeOf(post))
    assert.equal(changed.status, 200)
    const read = await call('GET', `/api/posts/${post.id}`)
    assert.deepEqual(changed.document, read.document)
  })

  test('a resource object of an update has a type and an id', async ({ client, assert }) => {
    const { author, post } = await publish()
    for (const more of [{ id: undefined }, { type: undefined }]) {
      const { status } = await caller(client, author)(
        'PATCH',
        `/api/posts/${post.id}`,
        changeOf(post, more)
      )
      assert.equal(status, 400)
    }
  })

  test('a type or id that is not that of the address is 409', async ({ client, assert }) => {
    const { author, post } = await publish()
    for (const more of [{ id: '0' }, { type: 'users' }]) {
      const { status } = await caller(client, author)(
        'PATCH',
        `/api/posts/${post.id}`,
        changeOf(post, more)
      )
      assert.equal(status, 409)
    }
  })

  test('a resource that does not exist is 404', async ({ client, assert }) => {
    const { author, post } = await publish()
    const { status } = await caller(client, author)('PATCH', '/api/posts/0', changeOf(post))
    assert.equal(status, 404)
  })

  test('an unsupported update of a relationship is 403', async ({ client, assert }) => {
    const { author, reader, post } = await publish()
    const relationships = { author: { data: { type: 'users', id: String(reader.id) } } }
    const { status } = await caller(client, author)(
      'PATCH',
      `/api/posts/${post.id}`,
      changeOf(post, { relationships })
    )
    assert.equal(status, 403)
    await post.refresh()
    assert.equal(post.userId, author.id)
  })

  test('a request succeeds or fails as a whole', async ({ client, assert }) => {
    const { author, post } = await publish()
    const attributes = { title: 'After', body: '' }
    const { status } = await caller(client, author)(
      'PATCH',
      `/api/posts/${post.id}`,
      changeOf(post, { attributes })
    )
    assert.equal(status, 422)
    const { title } = post
    await post.refresh()
    assert.equal(post.title, title)
  })
})

test.group('Specification | Updating Relationships', (group) => {
  group.each.setup(() => emptyTables)

  test('a to-one relationship takes an identifier or null, and is 403 where unsupported', async ({
    client,
    assert,
  }) => {
    const { author, post } = await publish()
    const path = `/api/posts/${post.id}/relationships/author`
    const { status } = await caller(client, author)('PATCH', path, { data: null })
    assert.equal(status, 403)
  })

  test('PATCH of a to-many relationship replaces every member, or is 403', async ({
    client,
    assert,
  }) => {
    const { author, post, comments } = await publish()
    const path = `/api/posts/${post.id}/relationships/comments`
    const { status } = await caller(client, author)('PATCH', path, { data: [] })
    assert.equal(status, 403)
    assert.lengthOf(await Comment.query().where('post_id', post.id), comments.length)
  })

  test('POST adds members, and does not add again what is there', async ({ client, assert }) => {
    const { reader, author, post, comments } = await publish()
    const other = await PostFactory.merge({ userId: author.id }).create()
    const call = caller(client, reader)
    const data = [{ type: 'comments', id: String(comments[0]!.id) }]
    for (let turn = 0; turn < 2; turn++) {
      const path = `/api/posts/${other.id}/relationships/comments`
      assert.equal((await call('POST', path, { data })).status, 204)
      assert.lengthOf(await Comment.query().where('post_id', other.id), 1)
    }
    assert.lengthOf(await Comment.query().where('post_id', post.id), 1)
  })

  test('DELETE removes members, and succeeds when they are gone already', async ({
    client,
    assert,
  }) => {
    const { reader, post, comments } = await publish()
    const call = caller(client, reader)
    const path = `/api/posts/${post.id}/relationships/comments`
    const data = [{ type: 'comments', id: String(comments[0]!.id) }]
    for (let turn = 0; turn < 2; turn++) {
      const { status, document } = await call('DELETE', path, { data })
      assert.equal(status, 204)
      assert.isNull(document)
    }
    assert.lengthOf(await Comment.query().where('post_id', post.id), 1)
  })

  test('the document has linkage as data: a list, of the types of the relationship', async ({
    client,
    assert,
  }) => {
    const { reader, post, comments } = await publish()
    const call = caller(client, reader)
    const identifier = { type: 'comments', id: String(comments[0]!.id) }
    for (const [document, status] of [
      [{}, 400],
      [{ data: null }, 400],
      [{ data: identifier }, 400],
      [{ data: [{ type: 'comments' }] }, 400],
      [{ data: [{ type: 'users', id: '1' }] }, 409],
    ] as const) {
      const answer = await call('POST', `/api/posts/${post.id}/relationships/comments`, document)
      assert.equal(answer.status, status, JSON.stringify(document))
    }
  })

  test('a related resource that does not exist is 404', async ({ client, assert }) => {
    const { reader, post } = await publish()
    const data = [{ type: 'comments', id: '0' }]
    const path = `/api/posts/${post.id}/relationships/comments`
    assert.equal((await caller(client, reader)('POST', path, { data })).status, 404)
  })
})

test.group('Specification | Deleting Resources', (group) => {
  group.each.setup(() => emptyTables)

  test('a deleted resource is 204 without content', async ({ client, assert }) => {
    const { author, post } = await publish()
    const { status, document } = await caller(client, author)('DELETE', `/api/posts/${post.id}`)
    assert.equal(status, 204)
    assert.isNull(document)
    assert.isNull(await Post.find(post.id))
  })

  test('a resource that does not exist is 404', async ({ client, assert }) => {
    const { author } = await publish()
    const { status } = await caller(client, author)('DELETE', '/api/posts/0')
    assert.equal(status, 404)
  })
})
