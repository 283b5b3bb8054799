import router from '@adonisjs/core/services/router'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'
import vine from '@vinejs/vine'

import { CommentFactory } from '#database/factories/comment_factory'
import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'
import { pathTo } from '#kit/http/pages'
import { atomicOperations } from '#kit/json_api/atomic_operations'
import { JsonResource } from '#kit/json_api/json_resource'
import { defineWrites, validated } from '#kit/json_api/resource_writes'
import Comment from '#models/comment'
import Post from '#models/post'
import type User from '#models/user'
import { middleware } from '#start/kernel'
import '#starter/helpers/fixtures/json_api_routes'

const ATOMIC = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'

class ShelfResource extends JsonResource<{ id: string }> {}

/** What PostgreSQL says of an id that its column cannot hold. */
async function findShelf(id: string) {
  if (id === 'abc') {
    throw Object.assign(new Error('invalid input syntax for type uuid'), { code: '22P02' })
  }
  return { id }
}

/** What both databases say of a row that is missing, or that others refer to. */
async function breakForeignKey() {
  throw Object.assign(new Error('constraint'), { code: '23503' })
}

const shelfWrites = defineWrites<{ id: string }>({
  resource: () => ShelfResource,
  find: findShelf,
  remove: breakForeignKey,
  update: validated(vine.create({ data: vine.object({}) }), async ({ model }) => model),
  relationships: {
    books: { types: ['books'], isToMany: true, add: breakForeignKey },
    room: { types: ['rooms'], isToMany: false, set: ['create'] },
  },
})

router
  .group(() => {
    atomicOperations(router, {
      writes: [shelfWrites],
      jsonApi: middleware.jsonApi,
      use: [middleware.auth({ guards: ['api'] })],
      max: 2,
    })
  })
  .prefix('/_test/shelves')
  .as('shelves')

/* The path of a resource need not have the name of its type. */
const readsShelf = middleware.jsonApi({ resource: () => ShelfResource })
router.get('/_test/shelves/racks', () => ({ data: [] })).use(readsShelf)
router.get('/_test/shelves/racks/:id', () => ({ data: null })).use(readsShelf)

function operator(client: any, user: User, base = '/api') {
  return (operations: unknown, headers: Record<string, string> = {}, beside: object = {}) =>
    client
      .post(`${base}/operations`)
      .as(user, ['posts:write'])
      .json({ 'atomic:operations': operations, ...beside })
      .headers({ 'content-type': ATOMIC, 'accept': ATOMIC, ...headers })
}

const post = (title = 'New', more: object = {}) => ({
  op: 'add',
  data: { type: 'posts', lid: 'p', attributes: { title, body: 'Words.' }, ...more },
})
const comment = (body: string, of: object = { type: 'posts', lid: 'p' }) => ({
  op: 'add',
  data: { type: 'comments', attributes: { body }, relationships: { post: { data: of } } },
})

test.group('POST /api/operations', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('its route has a name in the names of its group', ({ assert }) => {
    assert.equal(pathTo('shelves.operations'), '/_test/shelves/operations')
  })

  test('writes a post with three comments, and answers with what was made', async ({
    client,
    assert,
  }) => {
    const ann = await UserFactory.create()
    const operate = operator(client, ann)
    const response = await operate([post(), comment('1'), comment('2'), comment('3')])
    response.assertStatus(200)
    assert.equal(response.header('content-type'), ATOMIC)
    const results = response.body()['atomic:results']
    assert.deepEqual(
      results.map(({ data }: any) => data.type),
      ['posts', 'comments', 'comments', 'comments']
    )
    const made = await Post.findOrFail(results[0].data.id)
    assert.equal(made.userId, ann.id)
    const comments = await Comment.query().where('post_id', made.id).orderBy('id')
    assert.deepEqual(
      comments.map(({ body, userId }) => [body, userId]),
      [
        ['1', ann.id],
        ['2', ann.id],
        ['3', ann.id],
      ]
    )
  })

  test('writes nothing when one operation fails, and points at it', async ({ client, assert }) => {
    const operate = operator(client, await UserFactory.create())
    const before = (await Post.all()).length
    const response = await operate([post(), comment('1'), comment('')])
    response.assertStatus(422)
    const { pointer } = response.body().errors[0].source
    assert.equal(pointer, '/atomic:operations/2/data/attributes/body')
    assert.lengthOf(await Post.all(), before)
  })

  test('changes and removes what is the caller’s, by reference, local id and address', async ({
    client,
    assert,
  }) => {
    const ann = await UserFactory.create()
    const [changed, removed, gone] = await PostFactory.merge({ userId: ann.id }).createMany(3)
    const said = await CommentFactory.merge({ userId: ann.id, postId: changed!.id }).create()
    const moved = await CommentFactory.merge({ userId: ann.id, postId: gone!.id }).create()
    const operate = operator(client, ann)
    const response = await operate([
      {
        op: 'update',
        data: { type: 'posts', id: String(changed!.id), attributes: { title: 'Changed' } },
      },
      post('Local'),
      { op: 'update', data: { type: 'posts', lid: 'p', attributes: { title: 'Local, changed' } } },
      {
        op: 'add',
        ref: { type: 'posts', lid: 'p', relationship: 'comments' },
        data: [{ type: 'comments', id: String(moved.id) }],
      },
      {
        op: 'remove',
        href: `/api/posts/${changed!.id}/relationships/comments`,
        data: [{ type: 'comments', id: String(said.id) }],
      },
      { op: 'remove', href: `/api/posts/${gone!.id}` },
      { op: 'remove', ref: { type: 'posts', id: String(removed!.id) } },
    ])
    response.assertStatus(200)
    const results = response.body()['atomic:results']
    assert.deepEqual(results.slice(3), [{}, {}, {}, {}])
    assert.equal((await changed!.refresh()).title, 'Changed')
    const local = await Post.findOrFail(results[1].data.id)
    assert.equal(local.title, 'Local, changed')
    assert.equal((await moved.refresh()).postId, local.id)
    assert.isNull(await Comment.find(said.id))
    assert.isNull(await Post.find(removed!.id))
    assert.isNull(await Post.find(gone!.id))
  })

  test('adds at the address of a collection, and changes at that of a resource', async ({
    client,
    assert,
  }) => {
    const ann = await UserFactory.create()
    const { id } = await PostFactory.merge({ userId: ann.id }).create()
    const response = await operator(
      client,
      ann
    )([
      { ...post('Added'), href: '/api/posts' },
      {
        op: 'update',
        href: `/api/posts/${id}`,
        data: { type: 'posts', id: String(id), attributes: { title: 'Changed' } },
      },
    ])
    response.assertStatus(200)
    const shown = response.body()['atomic:results'].map(({ data }: any) => data.attributes.title)
    assert.deepEqual(shown, ['Added', 'Changed'])
    assert.equal((await Post.findOrFail(id)).title, 'Changed')
  })

  test(
    'the address of a resource is that of its route, also where its type has another name: {$self}'
  )
    .with([
      '/_test/shelves/racks/1',
      '/_test/shelves/racks/1/relationships/books',
      '/_test/shelves/shelves/1',
    ])
    .run(async ({ client, assert }, href) => {
      const isLinkage = href.endsWith('books')
      const change = isLinkage
        ? { op: 'add', data: [{ type: 'books', id: '1' }] }
        : { op: 'remove' }
      const ann = await UserFactory.create()
      const response = await operator(client, ann, '/_test/shelves')([{ ...change, href }])
      /* The handler has run: what it says of the row is told. */
      assert.equal(response.status(), isLinkage ? 404 : 409)
    })

  test('a new resource is added at the address of its collection, under whatever name', async ({
    client,
    assert,
  }) => {
    const ann = await UserFactory.create()
    const adding = { op: 'add', href: '/_test/shelves/racks', data: { type: 'shelves' } }
    const response = await operator(client, ann, '/_test/shelves')([adding])
    assert.equal(response.status(), 403)
    assert.notInclude(response.text(), 'cannot be written by operations')
  })

  test('an address counts the same where the slash behind that of operations was sent', async ({
    client,
  }) => {
    const response = await client
      .post('/api/operations/')
      .as(await UserFactory.create(), ['posts:write'])
      .json({ 'atomic:operations': [{ ...post(), href: '/api/posts' }] })
      .headers({ 'content-type': ATOMIC, 'accept': ATOMIC })
    response.assertStatus(200)
  })

  test('local ids are told apart by type, and are resolved in lists', async ({
    client,
    assert,
  }) => {
    const ann = await UserFactory.create()
    const said = comment('1')
    const response = await operator(
      client,
      ann
    )([
      post('First'),
      { ...said, data: { ...said.data, lid: 'p' } },
      post('Second', { lid: 'q' }),
      {
        op: 'add',
        ref: { type: 'posts', lid: 'q', relationship: 'comments' },
        data: [{ type: 'comments', lid: 'p' }],
      },
    ])
    response.assertStatus(200)
    const [, made, second] = response.body()['atomic:results']
    const { postId } = await Comment.findOrFail(made.data.id)
    assert.equal(String(postId), second.data.id)
  })

  test('{what} is {status}, and points at {at}')
    .with([
      { what: 'no list', operations: {}, status: 400, at: '' },
      { what: 'an empty list', operations: [], status: 400, at: '' },
      {
        what: 'more than 100 operations',
        operations: new Array(101).fill(post()),
        status: 400,
        at: '/atomic:operations',
      },
      {
        what: 'the first of 100 operations that is no object',
        operations: new Array(100).fill(1),
        status: 400,
        at: '/atomic:operations/0',
      },
      {
        what: 'another op',
        operations: [{ ...post(), op: 'get' }],
        status: 400,
        at: '/atomic:operations/0',
      },
      {
        what: 'an op that every object has',
        operations: [{ ...post(), op: 'constructor' }],
        status: 400,
        at: '/atomic:operations/0',
      },
      {
        what: 'a reference beside an address',
        operations: [{ op: 'remove', ref: { type: 'posts', id: '0' }, href: '/api/posts/0' }],
        status: 400,
        at: '/atomic:operations/0',
      },
      {
        what: 'a removal that names its resource as data',
        operations: [{ op: 'remove', data: { type: 'posts', id: '0' } }],
        status: 400,
        at: '/atomic:operations/0',
      },
      {
        what: 'a new resource without a type',
        operations: [{ op: 'add', data: { attributes: {} } }],
        status: 400,
        at: '/atomic:operations/0',
      },
      {
        what: 'a reference without an id',
        operations: [{ op: 'remove', ref: { type: 'posts' } }],
        status: 400,
        at: '/atomic:operations/0/ref',
      },
      {
        what: 'a reference whose id is a number',
        operations: [{ op: 'remove', ref: { type: 'posts', id: 1 } }],
        status: 400,
        at: '/atomic:operations/0/ref',
      },
      {
        what: 'a reference whose relationship is a number',
        operations: [{ op: 'add', ref: { type: 'posts', id: '0', relationship: 1 }, data: [] }],
        status: 400,
        at: '/atomic:operations/0/ref',
      },
      {
        what: 'a reference to a local id that nothing has',
        operations: [{ op: 'remove', ref: { type: 'posts', lid: 'p' } }],
        status: 400,
        at: '/atomic:operations/0/ref/lid',
      },
      {
        what: 'the local id of another type',
        operations: [post(), comment('1', { type: 'comments', lid: 'p' })],
        status: 400,
        at: '/atomic:operations/1/data/relationships/post/data/lid',
      },
      {
        what: 'a relationship without data',
        operations: [
          post(),
          {
            op: 'add',
            data: {
              type: 'comments',
              attributes: { body: '1' },
              relationships: { post: { meta: {} } },
            },
          },
        ],
        status: 400,
        at: '/atomic:operations/1/data/relationships/post',
      },
      {
        what: 'a change of a relationship without data',
        operations: [
          post(),
          { op: 'add', ref: { type: 'posts', lid: 'p', relationship: 'comments' } },
        ],
        status: 400,
        at: '/atomic:operations/1',
      },
      {
        what: 'a local id in a list that nothing has',
        operations: [
          post(),
          {
            op: 'add',
            ref: { type: 'posts', lid: 'p', relationship: 'comments' },
            data: [{ type: 'comments', lid: 'c' }],
          },
        ],
        status: 400,
        at: '/atomic:operations/1/data/0/lid',
      },
      {
        what: 'a local id that is a number',
        operations: [post('New', { lid: 1 })],
        status: 400,
        at: '/atomic:operations/0/data/lid',
      },
      {
        what: 'a new resource at the address of one',
        operations: [{ ...post(), href: '/api/posts/0' }],
        status: 400,
        at: '/atomic:operations/0',
      },
      {
        what: 'the removal of a collection',
        operations: [{ op: 'remove', href: '/api/posts' }],
        status: 400,
        at: '/atomic:operations/0',
      },
      {
        what: 'a change of a type that has none',
        operations: [{ op: 'update', data: { type: 'comments', id: '0', attributes: {} } }],
        status: 403,
        at: '/atomic:operations/0',
      },
      {
        what: 'a relationship that every object has',
        operations: [
          { op: 'add', ref: { type: 'posts', id: '0', relationship: 'constructor' }, data: [] },
        ],
        status: 403,
        at: '/atomic:operations/0',
      },
      {
        what: 'the address of a type without operations',
        operations: [{ op: 'remove', href: '/api/users/1' }],
        status: 403,
        at: '/atomic:operations/0',
      },
      {
        what: 'a type without operations',
        operations: [{ op: 'remove', ref: { type: 'users', id: '1' } }],
        status: 403,
        at: '/atomic:operations/0/ref/type',
      },
      {
        what: 'a local id that nothing has',
        operations: [comment('1')],
        status: 400,
        at: '/atomic:operations/0/data/relationships/post/data/lid',
      },
      {
        what: 'a local id that was given',
        operations: [post(), post()],
        status: 400,
        at: '/atomic:operations/1/data/lid',
      },
      {
        what: 'a reference with two ids',
        operations: [{ op: 'remove', ref: { type: 'posts', id: '1', lid: 'p' } }],
        status: 400,
        at: '/atomic:operations/0/ref',
      },
      {
        what: 'a foreign address',
        operations: [{ op: 'remove', href: 'https://example.com/api/posts/1' }],
        status: 400,
        at: '/atomic:operations/0/href',
      },
      {
        what: 'the address of a neighbour',
        operations: [{ op: 'remove', href: '/apis/posts/1' }],
        status: 400,
        at: '/atomic:operations/0/href',
      },
      {
        what: 'an address below another one that is as long',
        operations: [{ op: 'remove', href: '/xyz/posts/1' }],
        status: 400,
        at: '/atomic:operations/0/href',
      },
      {
        what: 'an address with a query',
        operations: [{ op: 'remove', href: '/api/posts/1?x=1' }],
        status: 400,
        at: '/atomic:operations/0/href',
      },
      {
        what: 'an address that is a number',
        operations: [{ op: 'remove', href: 1 }],
        status: 400,
        at: '/atomic:operations/0/href',
      },
      {
        what: 'a missing resource',
        operations: [{ op: 'remove', ref: { type: 'posts', id: '0' } }],
        status: 404,
        at: '/atomic:operations/0',
      },
      {
        what: 'an id of the client',
        operations: [post('New', { id: '7' })],
        status: 403,
        at: '/atomic:operations/0/data/id',
      },
      {
        what: 'a relationship that cannot be replaced',
        operations: [
          post(),
          { op: 'update', ref: { type: 'posts', lid: 'p', relationship: 'comments' }, data: [] },
        ],
        status: 403,
        at: '/atomic:operations/1',
      },
      {
        what: 'an absent post',
        operations: [comment('1', { type: 'posts', id: '0' })],
        status: 404,
        at: '/atomic:operations/0',
      },
      {
        what: 'a relationship of another type',
        operations: [comment('1', { type: 'users', id: '1' })],
        status: 409,
        at: '/atomic:operations/0/data/relationships/post/data/type',
      },
    ])
    .run(async ({ client, assert }, { operations, status, at }) => {
      const operate = operator(client, await UserFactory.create())
      const response = await operate(operations)
      assert.equal(response.status(), status, response.text())
      assert.equal(response.body().errors[0].source.pointer, at)
    })

  test('a document with operations has no {$self} beside them')
    .with(['data', 'included'])
    .run(async ({ client, assert }, member) => {
      const operate = operator(client, await UserFactory.create())
      const response = await operate([post()], {}, { [member]: [] })
      response.assertStatus(400)
      assert.equal(response.body().errors[0].source.pointer, `/${member}`)
      assert.isNull(await Post.first())
      ;(await operate([post()], {}, { meta: {} })).assertStatus(200)
    })

  test('refuses to change what is somebody else’s', async ({ client, assert }) => {
    const [ann, bob] = await UserFactory.createMany(2)
    const of = await PostFactory.merge({ userId: ann!.id, title: 'Before' }).create()
    const operate = operator(client, bob!)
    const id = String(of.id)
    for (const operation of [
      { op: 'update', data: { type: 'posts', id, attributes: { title: 'Taken' } } },
      { op: 'remove', ref: { type: 'posts', id } },
    ]) {
      const response = await operate([operation])
      response.assertStatus(403)
    }
    assert.equal((await of.refresh()).title, 'Before')
  })

  test('{what} is {status}: the extension is negotiated')
    .with([
      {
        what: 'a document without the extension',
        headers: { 'content-type': 'application/vnd.api+json' },
        status: 415,
      },
      {
        what: 'a document of a further extension',
        headers: {
          'content-type':
            'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic https://example.com/ext"',
        },
        status: 415,
      },
      {
        what: 'an answer without the extension',
        headers: { accept: 'application/vnd.api+json' },
        status: 406,
      },
      { what: 'an answer of any form', headers: { accept: '*/*' }, status: 200 },
      {
        what: 'a profile beside the extension',
        headers: { accept: `${ATOMIC}; profile="https://example.com/a"` },
        status: 200,
      },
    ])
    .run(async ({ client }, { headers, status }) => {
      const response = await operator(client, await UserFactory.create())(
        [post()],
        headers as never
      )
      response.assertStatus(status)
    })

  test('needs the scope of writers', async ({ client }) => {
    const user = await UserFactory.create()
    const response = await client
      .post('/api/operations')
      .as(user, ['posts:read'])
      .json({ 'atomic:operations': [post()] })
      .headers({ 'content-type': ATOMIC, 'accept': ATOMIC })
    response.assertStatus(403)
  })
})

test.group('Operations on resources of few writes', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  const remove = { op: 'remove', ref: { type: 'shelves', id: '1' } }

  test('{what} is {status}: {detail}')
    .with([
      {
        what: 'the removal of what others refer to',
        operations: [remove],
        status: 409,
        detail: 'Other resources refer to this one.',
        at: '/atomic:operations/0',
      },
      {
        what: 'a related resource that is absent',
        operations: [
          {
            op: 'add',
            ref: { ...remove.ref, relationship: 'books' },
            data: [{ type: 'books', id: '1' }],
          },
        ],
        status: 404,
        detail: 'A related resource does not exist.',
        at: '/atomic:operations/0',
      },
      {
        what: 'a change of an id that no row can have',
        operations: [
          { op: 'add', ref: { type: 'shelves', id: 'abc', relationship: 'books' }, data: [] },
        ],
        status: 404,
        detail: 'There is no such row.',
        at: '/atomic:operations/0',
      },
      {
        what: 'a new resource',
        operations: [{ op: 'add', data: { type: 'shelves' } }],
        status: 403,
        detail: 'Resources of this type cannot be written in this way.',
        at: '/atomic:operations/0',
      },
      {
        what: 'a change of a relationship that new ones alone may set',
        operations: [
          {
            op: 'update',
            data: {
              ...remove.ref,
              relationships: { room: { data: { type: 'rooms', id: '1' } } },
            },
          },
        ],
        status: 403,
        detail: 'This relationship cannot be set here.',
        at: '/atomic:operations/0/data/relationships/room',
      },
      {
        what: 'an operation more than the route takes',
        operations: [remove, remove, remove],
        status: 400,
        detail: 'A request may have 2 operations.',
        at: '/atomic:operations',
      },
    ])
    .run(async ({ client, assert }, { operations, status, detail, at }) => {
      const operate = operator(client, await UserFactory.create(), '/_test/shelves')
      const response = await operate(operations)
      assert.equal(response.status(), status, response.text())
      assert.containSubset(response.body().errors[0], { detail, source: { pointer: at } })
    })
})

test.group('Echoed linkage', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('of {name} is accepted when it is the present one, and 403 when it is not')
    .with([{ name: 'author' }, { name: 'comments' }])
    .run(async ({ client, assert }, { name }) => {
      const ann = await UserFactory.create()
      const of = await PostFactory.merge({ userId: ann.id }).create()
      const comments = await CommentFactory.merge({ userId: ann.id, postId: of.id }).createMany(2)
      const present: any = {
        author: { type: 'users', id: String(ann.id) },
        comments: comments.map(({ id }) => ({ type: 'comments', id: String(id) })).reverse(),
      }
      const [one, two] = present.comments
      const other: any = {
        author: [null, [present.author], { type: 'users', id: '0' }, { type: 'posts', id: ann.id }],
        comments: [null, one, [], [one], [one, one], [one, { ...two, id: '0' }], [one, two, null]],
      }
      for (const [data, status] of [
        [present[name], 200],
        ...other[name].map((linkage: unknown) => [linkage, 403]),
      ]) {
        const response = await client
          .patch(`/api/posts/${of.id}`)
          .as(ann)
          .json({
            data: {
              type: 'posts',
              id: String(of.id),
              attributes: { title: `Sent with ${status}` },
              relationships: { [name]: { data } },
            },
          })
        assert.equal(response.status(), status, response.text())
        if (status === 403) {
          const [{ source }] = response.body().errors
          assert.deepEqual(source, { pointer: `/data/relationships/${name}` })
        }
      }
      assert.equal((await of.refresh()).title, 'Sent with 200')
    })
})
