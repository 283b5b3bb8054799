import { BaseModel, column } from '@adonisjs/lucid/orm'
import db from '@adonisjs/lucid/services/db'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { cursorPaginate } from '#kit/json_api/cursor_pagination'
import { assertNewResource, readRelationship } from '#kit/json_api/request_document'
import { CommentFactory } from '#database/factories/comment_factory'
import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'
import Post from '#models/post'
import User from '#models/user'
import { violationLog } from '#starter/helpers/fixtures/json_api_routes'

async function postWithComment() {
  const ann = await UserFactory.create()
  const post = await PostFactory.merge({ userId: ann.id }).create()
  await CommentFactory.merge({ postId: post.id, userId: ann.id }).create()
  return { ann, post }
}

test.group('The include of a relationship', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('{path} is {status}: what the route does not name is refused')
    .with([
      { path: '?include=author', status: 200 },
      { path: '?include=author.comments', status: 400 },
      { path: '/author?include=comments', status: 400 },
      { path: '/author', status: 200 },
      { path: '/relationships/author?include=author', status: 200 },
      { path: '/relationships/author?include=comments', status: 400 },
      { path: '/comments?include=author', status: 400 },
      { path: '/comments', status: 200 },
      { path: '/relationships/comments?include=comments', status: 200 },
      { path: '/relationships/comments?include=comments.author', status: 400 },
    ])
    .run(async ({ client }, { path, status }) => {
      const { post } = await postWithComment()
      const response = await client.get(`/_test/few/posts/${post.id}${path}`)
      response.assertStatus(status)
    })
})

test.group('The links of a relationship', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('name the related resources where they have an address', async ({ client, assert }) => {
    const { post } = await postWithComment()
    for (const [prefix, hasRelated] of [
      ['/_test/few', true],
      ['/_test/linkage', false],
    ]) {
      const path = `${prefix}/posts/${post.id}`
      const related = `${path}/author`
      const self = `${path}/relationships/author`
      const { links } = (await client.get(self)).body()
      assert.deepEqual(links, hasRelated ? { self, related } : { self })
      ;(await client.get(related)).assertStatus(hasRelated ? 200 : 404)
    }
  })
})

test.group('Query parameters that parsing would lose', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('{query} is refused, and names its parameter')
    .with([
      { query: 'filter[author]=1&filter[author][in]=2', parameter: 'filter[author]' },
      { query: 'filter[__proto__]=1', parameter: 'filter[__proto__]' },
      { query: 'filter[constructor]=1', parameter: 'filter[constructor]' },
      { query: 'filter[toLocaleString]=1', parameter: 'filter[toLocaleString]' },
      {
        query: 'filter[author][__defineGetter__]=1',
        parameter: 'filter[author][__defineGetter__]',
      },
      { query: 'filter[author=1', parameter: 'filter[author' },
      { query: 'filter[[author]]=1', parameter: 'filter[[author]]' },
      { query: 'page[size=1', parameter: 'page[size' },
      { query: 'page=2&page[size]=1', parameter: 'page' },
    ])
    .run(async ({ client, assert }, { query, parameter }) => {
      const response = await client.get(`/api/posts?${query}`).as(await UserFactory.create())
      response.assertStatus(400)
      assert.deepEqual(response.body().errors[0].source, { parameter })
    })

  test('parameters beyond the thousandth are refused: the filter among them would not count', async ({
    client,
    assert,
  }) => {
    const { ann } = await postWithComment()
    const filter = `filter[author]=${ann.id + 1}`
    for (const other of ['xA=1&', '&']) {
      const path = `/api/posts?${other.repeat(999)}`
      assert.lengthOf((await client.get(`${path}${filter}`).as(ann)).body().data, 0)
      const refused = await client.get(`${path}${other}${filter}`).as(ann)
      refused.assertStatus(400)
      assert.deepEqual(refused.body().errors[0].source, { parameter: 'filter[author]' })
    }
  })
})

test.group('Pages', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('beyond the end, prev is the last page', async ({ client, assert }) => {
    const { ann } = await postWithComment()
    const response = await client.get('/api/posts?page=900').as(ann)
    const { links, meta } = response.body()
    assert.equal(links.prev, links.last)
    assert.equal(meta.previous_page, meta.last_page)
  })

  test('a page whose rows were deleted leads back to those before it', async ({
    client,
    assert,
  }) => {
    const { ann } = await postWithComment()
    const posts = await PostFactory.merge(
      ['b', 'c'].map((title) => ({ userId: ann.id, title }))
    ).createMany(2)
    const read = async (path: string) => {
      const response = await client.get(path).as(ann)
      response.assertStatus(200)
      const { data, links } = response.body()
      return { ids: data.map(({ id }: any) => id), links }
    }
    const first = await read(
      `/api/posts?page[after]=&page[size]=1&sort=title&filter[author]=${ann.id}`
    )
    const second = await read(first.links.next)
    const third = await read(second.links.next)
    await Post.query().where('id', third.ids[0]).delete()
    const empty = await read(second.links.next)
    assert.deepEqual(empty.ids, [])
    assert.deepEqual((await read(empty.links.prev)).ids, second.ids)

    await Post.query().where('id', first.ids[0]).delete()
    const start = await read(second.links.prev)
    assert.deepEqual(start.ids, [])
    assert.deepEqual((await read(start.links.next)).ids, second.ids)
    assert.include(
      posts.map(({ id }) => String(id)),
      second.ids[0]
    )
  })

  test('a cursor tells nothing of the columns behind it', async ({ client, assert }) => {
    const { ann, post } = await postWithComment()
    await PostFactory.merge({ userId: ann.id, title: post.title }).create()
    const response = await client.get('/api/posts?page[after]=&page[size]=1&sort=title').as(ann)
    const next = new URL(response.body().links.next, 'http://localhost')
    const cursor = next.searchParams.get('page[after]')!
    const decoded = cursor.split('.').map((part) => Buffer.from(part, 'base64url').toString())
    assert.notInclude([cursor, ...decoded].join(), post.title)
  })

  test('a cursor over a column that can be null is refused', async ({ assert }) => {
    await assert.rejects(
      () => cursorPaginate(User.query(), [{ column: 'full_name', order: 'asc' }], { size: 2 }),
      /"full_name" can be null/
    )
    const joined = () => Post.query().join('users', 'users.id', 'posts.user_id')
    const by = (name: string) =>
      cursorPaginate(joined(), [{ column: name, order: 'asc' }], { size: 2 }).then((page) =>
        page.all()
      )
    await assert.rejects(() => by('users.full_name'), /"users.full_name" can be null/)
    assert.isArray(await by('users.email'))
  })

  test('a primary key is never null, whatever the database says of its column', async ({
    assert,
    cleanup,
  }) => {
    class Label extends BaseModel {
      static table = 'cursor_labels'

      @column({ isPrimary: true })
      declare name: string
    }
    await db.rawQuery('CREATE TABLE cursor_labels (name VARCHAR(9) PRIMARY KEY)')
    cleanup(() => db.connection().schema.dropTableIfExists('cursor_labels'))
    for (const name of ['name', 'cursor_labels.name']) {
      const order = [{ column: name, order: 'asc' as const }]
      const page = await cursorPaginate(Label.query(), order, { size: 2 })
      assert.deepEqual(page.all(), [])
    }
  })
})

test.group('readRelationship', () => {
  const document = (linkage: unknown) => ({ data: { relationships: { author: linkage } } })
  const author = { types: ['users'], isToMany: false } as const

  test('gives the identifier, null, or undefined when the document names none', ({ assert }) => {
    const identifier = { type: 'users', id: '1' }
    assert.deepEqual(readRelationship(document({ data: identifier }), 'author', author), identifier)
    assert.isNull(readRelationship(document({ data: null }), 'author', author))
    assert.isUndefined(readRelationship({ data: {} }, 'author', author))
    assert.isUndefined(readRelationship(document({ data: null }), 'constructor', author))
  })

  test('{what} is {status}, and the pointer leads there')
    .with([
      { what: 'another type', data: { type: 'posts', id: '1' }, status: 409, at: '/data/type' },
      { what: 'a list', data: [], status: 400, at: '/data' },
      { what: 'an id that is a number', data: { type: 'users', id: 1 }, status: 400, at: '/data' },
    ])
    .run(({ assert }, { data, status, at }) => {
      try {
        readRelationship(document({ data }), 'author', author)
        assert.fail('It was accepted')
      } catch (error: any) {
        assert.equal(error.status, status)
        assert.equal(error.source.pointer, `/data/relationships/author${at}`)
      }
    })
})

test.group('Client-generated ids', () => {
  const document = (id: unknown) => ({ data: { type: 'songs', id } })
  const uuid = '018f4d1c-95b0-7cc4-9f37-2f6f3d1c0a11'

  test('are 403 without a declaration', ({ assert }) => {
    assert.throws(
      () => assertNewResource(document(uuid), 'songs'),
      'Client-generated ids are not supported.'
    )
  })

  test('are UUIDs where clientIds says so: another form is 400', ({ assert }) => {
    const clientIds = 'uuid' as const
    assertNewResource(document(uuid), 'songs', [], { clientIds })
    assertNewResource({ data: { type: 'songs' } }, 'songs', [], { clientIds })
    for (const id of ['7', 7, null, uuid.toUpperCase(), `${uuid} `]) {
      try {
        assertNewResource(document(id), 'songs', [], { clientIds })
        assert.fail(`${id} was accepted`)
      } catch (error: any) {
        assert.equal(error.status, 400)
        assert.equal(error.source.pointer, '/data/id')
      }
    }
  })
})

test.group('Rules of the database', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('{what} is {status}')
    .with([
      {
        what: 'an absent related row',
        path: 'foreign',
        method: 'get',
        status: 404,
        code: 'related_not_found',
      },
      {
        what: 'a row that others refer to',
        path: 'foreign',
        method: 'delete',
        status: 409,
        code: 'conflict',
      },
      {
        what: 'a value that is taken',
        path: 'unique',
        method: 'get',
        status: 409,
        code: 'conflict',
      },
      {
        what: 'a value of a document that the column cannot hold',
        path: 'check',
        method: 'post',
        status: 422,
        code: 'invalid_value',
      },
      {
        what: 'an id that the column cannot hold',
        path: 'check',
        method: 'get',
        status: 404,
        code: 'E_ROW_NOT_FOUND',
      },
      {
        what: 'the filter for a value that the column cannot hold',
        path: 'check?filter[a]=b',
        method: 'get',
        status: 400,
        code: 'invalid_parameter',
      },
    ] as const)
    .run(async ({ client, assert }, { path, method, status, code }) => {
      const request = client[method](`/_test/json_api/violations/${path}`)
      const response = await request.header('Content-Type', 'application/json')
      response.assertStatus(status)
      assert.equal(response.body().errors[0].code, code)
      assert.notMatch(response.text(), /SQLITE|constraint|users_/i)
    })

  test('a broken rule is a warning in the log, without values of the row', async ({
    client,
    assert,
  }) => {
    await client.get('/_test/json_api/violations/unique')
    const [level, context, message] = violationLog
    assert.equal(level, 'warn')
    assert.deepEqual(Object.keys(context as object), ['x-request-id'])
    assert.equal(message, 'constraint users_email_unique')
  })

  test('a boolean column is a boolean', async ({ assert }) => {
    const { id } = await UserFactory.create()
    assert.strictEqual((await User.findOrFail(id)).isActive, true)
    await db.from('users').where('id', id).update({ is_active: false })
    assert.strictEqual((await User.findOrFail(id)).isActive, false)
  })
})
