import { test } from '@japa/runner'

import { CommentFactory } from '#database/factories/comment_factory'
import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'
import Comment from '#models/comment'
import Post from '#models/post'
import type User from '#models/user'
import { emptyTables } from '#starter/helpers/json_api_calls'
import { judge } from '#starter/helpers/json_api_judge'
import { useWorkspaces } from '#starter/helpers/workspaces'

const MEDIA_TYPE = 'application/vnd.api+json'

/** A post of one user with two comments of another. */
async function publish(author: User, reader: User) {
  const post = await PostFactory.merge({ userId: author.id, title: 'Before' }).create()
  const comments = await CommentFactory.merge({ postId: post.id, userId: reader.id }).createMany(2)
  return { post, comments }
}

/** Sends a document as a user with a token that may read and write posts. */
function sender(client: any, assert: any) {
  return async (user: User, method: string, path: string, document?: object) => {
    const request = client[method](path).as(user, ['posts:read', 'posts:write'])
    const response = await (document
      ? request.json(document).header('Content-Type', MEDIA_TYPE)
      : request)
    if (response.status() === 204) {
      assert.equal(response.text(), '')
    } else {
      assert.equal(response.header('content-type').split(';', 1)[0], MEDIA_TYPE)
      assert.deepEqual(judge(response.body()), [])
    }
    return response
  }
}

const update = (post: Post, more: object = {}) => ({
  data: { type: 'posts', id: String(post.id), attributes: { title: 'After' }, ...more },
})

test.group('PATCH /api/posts/:id', (group) => {
  group.each.setup(() => emptyTables)

  test('needs a role that may write, also of its author', async ({ client, assert, cleanup }) => {
    const [author, reader] = await UserFactory.createMany(2)
    const { post } = await publish(author!, reader!)
    const send = sender(client, assert)
    const roles = { owner: ['*'], reader: [] }
    cleanup(await useWorkspaces({ common: true, commonRole: 'reader', roles }))
    const path = `/api/posts/${post.id}`
    assert.equal((await send(author!, 'patch', path, update(post))).status(), 403)
    assert.equal((await send(author!, 'delete', path)).status(), 403)
    assert.equal((await Post.findOrFail(post.id)).title, post.title)
  })

  test('changes what it names, and answers with the document that is read next', async ({
    client,
    assert,
  }) => {
    const [author, reader] = await UserFactory.createMany(2)
    const { post } = await publish(author!, reader!)
    const send = sender(client, assert)
    const path = `/api/posts/${post.id}`
    const changed = await send(author!, 'patch', path, update(post))
    changed.assertStatus(200)
    assert.equal(changed.body().data.attributes.title, 'After')
    assert.equal(changed.body().data.attributes.body, post.body)
    const read = await send(author!, 'get', path)
    assert.deepEqual(read.body(), changed.body())
  })

  test('tells somebody else nothing about linkage: right or wrong, the answer is the same', async ({
    client,
    assert,
  }) => {
    const [author, reader] = await UserFactory.createMany(2)
    const { post } = await publish(author!, reader!)
    const send = sender(client, assert)
    const guess = async (id: number) => {
      const relationships = { author: { data: { type: 'users', id: String(id) } } }
      return send(reader!, 'patch', `/api/posts/${post.id}`, update(post, { relationships }))
    }
    const right = await guess(author!.id)
    right.assertStatus(403)
    assert.deepEqual(right.body(), (await guess(reader!.id)).body())
  })

  test('refuses what is no change of this post, and points at it', async ({ client, assert }) => {
    const [author, reader] = await UserFactory.createMany(2)
    const { post } = await publish(author!, reader!)
    const send = sender(client, assert)
    const author1 = { data: { type: 'users', id: '1' } }
    for (const [document, status, pointer] of [
      [{}, 400, ''],
      [{ data: [] }, 400, '/data'],
      [update(post, { type: undefined }), 400, '/data'],
      [update(post, { id: undefined }), 400, '/data'],
      [update(post, { id: post.id }), 400, '/data'],
      [update(post, { type: 'users' }), 409, '/data/type'],
      [update(post, { id: '0' }), 409, '/data/id'],
      [update(post, { attributes: [] }), 400, '/data/attributes'],
      [update(post, { relationships: { author: author1 } }), 403, '/data/relationships/author'],
      [update(post, { attributes: { title: '' } }), 422, '/data/attributes/title'],
      [update(post, { attributes: { body: null } }), 422, '/data/attributes/body'],
    ] as const) {
      const response = await send(author!, 'patch', `/api/posts/${post.id}`, document)
      assert.equal(response.status(), status, JSON.stringify(document))
      assert.equal(response.body().errors[0].source.pointer, pointer, JSON.stringify(document))
    }
    await post.refresh()
    assert.equal(post.title, 'Before')
  })

  test('is its author’s alone', async ({ client, assert }) => {
    const [author, reader] = await UserFactory.createMany(2)
    const { post } = await publish(author!, reader!)
    const send = sender(client, assert)
    const path = `/api/posts/${post.id}`
    assert.equal((await send(reader!, 'patch', path, update(post))).status(), 403)
    assert.equal((await send(reader!, 'delete', path)).status(), 403)
    await post.refresh()
    assert.equal(post.title, 'Before')
    const missing = await send(reader!, 'patch', '/api/posts/0', update(post))
    assert.equal(missing.status(), 404)
  })

  test('writes nothing when a parameter cannot be honoured', async ({ client, assert }) => {
    const [author, reader] = await UserFactory.createMany(2)
    const { post } = await publish(author!, reader!)
    const send = sender(client, assert)
    for (const query of ['include=nothing', 'include=comments.nothing', 'fields=x', 'sort=title']) {
      const path = `/api/posts/${post.id}?${query}`
      assert.equal((await send(author!, 'patch', path, update(post))).status(), 400, query)
      assert.equal((await send(author!, 'delete', path)).status(), 400, query)
    }
    await post.refresh()
    assert.equal(post.title, 'Before')
  })
})

test.group('DELETE /api/posts/:id', (group) => {
  group.each.setup(() => emptyTables)

  test('deletes the post with its comments', async ({ client, assert }) => {
    const [author, reader] = await UserFactory.createMany(2)
    const { post } = await publish(author!, reader!)
    const send = sender(client, assert)
    assert.equal((await send(author!, 'delete', `/api/posts/${post.id}`)).status(), 204)
    assert.equal((await send(author!, 'get', `/api/posts/${post.id}`)).status(), 404)
    assert.lengthOf(await Comment.all(), 0)
  })
})

test.group('Relationships of /api/posts/:id', (group) => {
  group.each.setup(() => emptyTables)

  const linkage = (comments: Comment[]) => ({
    data: comments.map(({ id }) => ({ type: 'comments', id: String(id) })),
  })

  test('GET relationships/:name is its linkage, with links', async ({ client, assert }) => {
    const [author, reader] = await UserFactory.createMany(2)
    const { post, comments } = await publish(author!, reader!)
    const send = sender(client, assert)
    const path = `/api/posts/${post.id}`
    const toMany = await send(reader!, 'get', `${path}/relationships/comments`)
    assert.deepEqual(toMany.body(), {
      ...linkage(comments),
      links: { self: `${path}/relationships/comments`, related: `${path}/comments` },
    })
    const toOne = await send(reader!, 'get', `${path}/relationships/author`)
    assert.deepEqual(toOne.body().data, { type: 'users', id: String(author!.id) })
  })

  test('GET relationships/:name includes along paths that start with it', async ({
    client,
    assert,
  }) => {
    const [author, reader] = await UserFactory.createMany(2)
    const { post } = await publish(author!, reader!)
    const send = sender(client, assert)
    const path = `/api/posts/${post.id}/relationships/comments`
    const { included } = (await send(reader!, 'get', `${path}?include=comments.author`)).body()
    assert.sameMembers(
      included.map(({ type }: any) => type),
      ['comments', 'comments', 'users']
    )
    for (const include of ['author', 'comments.nothing', 'nothing']) {
      assert.equal((await send(reader!, 'get', `${path}?include=${include}`)).status(), 400)
    }
  })

  test('GET :name is the related resources', async ({ client, assert }) => {
    const [author, reader] = await UserFactory.createMany(2)
    const { post, comments } = await publish(author!, reader!)
    const send = sender(client, assert)
    const path = `/api/posts/${post.id}`
    const list = (await send(reader!, 'get', `${path}/comments?include=author`)).body()
    assert.deepEqual(
      list.data.map(({ id }: any) => Number(id)),
      comments.map(({ id }) => id)
    )
    assert.lengthOf(list.included, 1)
    const one = (await send(reader!, 'get', `${path}/author`)).body()
    assert.equal(one.data.id, String(author!.id))
    const missing = await client.get(`${path}/nothing`).as(reader!, ['posts:read'])
    missing.assertStatus(404)
    assert.equal((await send(reader!, 'get', '/api/posts/0/comments')).status(), 404)
    assert.equal((await send(reader!, 'get', `${path}/comments?include=nothing`)).status(), 400)
  })

  test('POST adds comments of the caller, and leaves those that are there', async ({
    client,
    assert,
  }) => {
    const [author, reader] = await UserFactory.createMany(2)
    const { post } = await publish(author!, reader!)
    const other = await publish(reader!, reader!)
    const send = sender(client, assert)
    const path = `/api/posts/${other.post.id}/relationships/comments`

    const own = await Comment.query().where('post_id', post.id)
    assert.equal((await send(author!, 'post', path, linkage(own))).status(), 403)
    for (let time = 0; time < 2; time++) {
      const response = await send(reader!, 'post', path, linkage([own[0]!, own[0]!]))
      assert.equal(response.status(), 204)
    }
    assert.lengthOf(await Comment.query().where('post_id', other.post.id), 3)
    const missing = { data: [{ type: 'comments', id: '0' }] }
    assert.equal((await send(reader!, 'post', path, missing)).status(), 404)
  })

  test('DELETE removes comments, by their author or that of the post', async ({
    client,
    assert,
  }) => {
    const [author, reader, stranger] = await UserFactory.createMany(3)
    const { post, comments } = await publish(author!, reader!)
    const send = sender(client, assert)
    const path = `/api/posts/${post.id}/relationships/comments`

    assert.equal((await send(stranger!, 'delete', path, linkage(comments))).status(), 403)
    assert.lengthOf(await Comment.all(), 2)
    assert.equal((await send(reader!, 'delete', path, linkage([comments[0]!]))).status(), 204)
    assert.equal((await send(author!, 'delete', path, linkage(comments))).status(), 204)
    assert.lengthOf(await Comment.all(), 0)
    assert.equal((await send(author!, 'delete', path, linkage(comments))).status(), 204)
  })

  test('a full replacement, and any change of the author, is 403', async ({ client, assert }) => {
    const [author, reader] = await UserFactory.createMany(2)
    const { post } = await publish(author!, reader!)
    const send = sender(client, assert)
    const path = `/api/posts/${post.id}/relationships`
    assert.equal((await send(author!, 'patch', `${path}/comments`, linkage([]))).status(), 403)
    const someone = { data: { type: 'users', id: String(reader!.id) } }
    for (const method of ['patch', 'post', 'delete']) {
      assert.equal((await send(author!, method, `${path}/author`, someone)).status(), 403)
    }
    assert.lengthOf(await Comment.all(), 2)
  })

  test('refuses what is no linkage, and points at it', async ({ client, assert }) => {
    const [author, reader] = await UserFactory.createMany(2)
    const { post } = await publish(author!, reader!)
    const send = sender(client, assert)
    for (const [document, status, pointer] of [
      [{}, 400, ''],
      [{ data: null }, 400, '/data'],
      [{ data: { type: 'comments', id: '1' } }, 400, '/data'],
      [{ data: [null] }, 400, '/data/0'],
      [{ data: [{ type: 'comments' }] }, 400, '/data/0'],
      [{ data: [{ type: 'comments', id: 1 }] }, 400, '/data/0'],
      [{ data: [{ type: 'users', id: '1' }] }, 409, '/data/0/type'],
    ] as const) {
      for (const method of ['post', 'delete']) {
        const path = `/api/posts/${post.id}/relationships/comments`
        const response = await send(author!, method, path, document)
        assert.equal(response.status(), status, JSON.stringify(document))
        assert.equal(response.body().errors[0].source.pointer, pointer)
      }
    }
  })
})

test.group('Filters and cursors of /api/posts', (group) => {
  group.each.setup(() => emptyTables)

  test('filter[author] takes one author, or several with "in"', async ({ client, assert }) => {
    const [one, two, three] = await UserFactory.createMany(3)
    for (const user of [one!, two!, three!, one!]) {
      await PostFactory.merge({ userId: user.id, title: user.email }).create()
    }
    const send = sender(client, assert)
    const titles = async (query: string) => {
      const { data } = (await send(one!, 'get', `/api/posts?sort=title&${query}`)).body()
      return data.map((post: any) => post.attributes.title).sort()
    }
    assert.deepEqual(await titles(`filter[author]=${one!.id}`), [one!.email, one!.email])
    assert.deepEqual(
      await titles(`filter[author][in]=${two!.id},${three!.id}`),
      [two!.email, three!.email].sort()
    )
    assert.deepEqual(await titles('filter[author]=2147483647'), [])
  })

  test('a filter that cannot be honoured is 400 and named', async ({ client, assert }) => {
    const user = await UserFactory.create()
    const send = sender(client, assert)
    for (const [query, parameter] of [
      ['filter=1', 'filter'],
      ['filter[title]=x', 'filter[title]'],
      ['filter[user_id]=1', 'filter[user_id]'],
      ['filter[author]=x', 'filter[author]'],
      ['filter[author]=', 'filter[author]'],
      ['filter[author]=1.5', 'filter[author]'],
      ['filter[author]=1,2', 'filter[author]'],
      ['filter[author]=99999999999', 'filter[author]'],
      ['filter[author][lt]=1', 'filter[author][lt]'],
      ['filter[author][in]=1,x', 'filter[author][in]'],
      [`filter[author][in]=${Array(101).fill(1).join()}`, 'filter[author][in]'],
      ['filter[author][in][x]=1', 'filter[author][in]'],
    ] as const) {
      const response = await send(user, 'get', `/api/posts?${query}`)
      assert.equal(response.status(), 400, query)
      assert.deepEqual(response.body().errors[0].source, { parameter }, query)
    }
  })

  test('cursor pages walk a list to its end and back, however rows tie', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    await PostFactory.merge(
      Array.from({ length: 7 }, (_, n) => ({ userId: user.id, title: `Post ${n % 3}` }))
    ).createMany(7)
    const send = sender(client, assert)
    const walk = async (from: string, link: 'next' | 'prev') => {
      const pages: string[][] = []
      for (let path: string | null = from; path !== null;) {
        const { data, links, meta }: any = (await send(user, 'get', path)).body()
        assert.deepEqual(meta, { page: { size: 3 } })
        pages.push(data.map(({ id }: any) => id))
        path = links[link]
        last = links
      }
      return pages
    }
    let last: any
    for (const sort of ['title', '-title', 'createdAt,-title']) {
      const whole = (await send(user, 'get', `/api/posts?sort=${sort}`)).body()
      const ids = whole.data.map(({ id }: any) => id)
      const base = `/api/posts?sort=${sort}&page[size]=3&page[after]=`
      const forward = await walk(base, 'next')
      assert.deepEqual(forward.flat(), ids)
      assert.deepEqual(
        forward.map(({ length }) => length),
        [3, 3, 1]
      )
      const backward = await walk(last.prev, 'prev')
      assert.deepEqual(backward.reverse().flat(), ids.slice(0, 6))
    }
  })

  test('a row that is inserted meanwhile neither repeats nor hides another', async ({
    client,
    assert,
  }) => {
    const user = await UserFactory.create()
    const create = (title: string) => PostFactory.merge({ userId: user.id, title }).create()
    for (const title of ['b', 'd', 'f', 'h']) {
      await create(title)
    }
    const send = sender(client, assert)
    const titlesOf = ({ data }: any) => data.map((post: any) => post.attributes.title)
    const first = (
      await send(user, 'get', '/api/posts?sort=title&page[size]=2&page[after]=')
    ).body()
    assert.deepEqual(titlesOf(first), ['b', 'd'])
    await create('a')
    await create('e')
    await Post.query().where('title', 'd').delete()
    const next = (await send(user, 'get', first.links.next)).body()
    assert.deepEqual(titlesOf(next), ['e', 'f'])
  })

  test('a cursor that was altered, or of another order, is 400', async ({ client, assert }) => {
    const user = await UserFactory.create()
    await PostFactory.merge({ userId: user.id }).createMany(3)
    const send = sender(client, assert)
    const { links } = (
      await send(user, 'get', '/api/posts?sort=title&page[size]=1&page[after]=')
    ).body()
    const cursor = new URL(links.next, 'http://localhost').searchParams.get('page[after]')!
    for (const [query, parameter] of [
      [`sort=title&page[after]=${cursor}x`, 'page[after]'],
      [`sort=title&page[before]=x`, 'page[before]'],
      [`sort=-title&page[after]=${cursor}`, 'page[after]'],
      [`page[after]=${cursor}`, 'page[after]'],
      [`sort=title&page[after]=${cursor}&page[before]=${cursor}`, 'page[before]'],
      [`sort=title&page[after]=${cursor}&page[number]=1`, 'page'],
      [`sort=title&page[after][]=${cursor}&page[after][]=x`, 'page[after]'],
    ] as const) {
      const response = await send(user, 'get', `/api/posts?${query}`)
      assert.equal(response.status(), 400, query)
      assert.deepEqual(response.body().errors[0].source, { parameter }, query)
    }
    const large = await send(user, 'get', '/api/posts?page[after]=&page[size]=101')
    const [error] = large.body().errors
    assert.match(error.links.type, /cursor-pagination\/max-size-exceeded$/)
    assert.deepEqual(error.meta, { page: { maxSize: 100 } })
  })
})
