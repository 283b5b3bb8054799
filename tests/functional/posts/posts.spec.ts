// feature: workspaces
import app from '@adonisjs/core/services/app'
// /feature
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'

const MEDIA_TYPE = 'application/vnd.api+json'

const document = (attributes: Record<string, string>, id?: number) =>
  JSON.stringify({ data: { type: 'posts', ...(id && { id: String(id) }), attributes } })

test.group('Posts', (group) => {
  // feature: workspaces
  /* Posts that all read: of the common workspace, also where people have one of their own. */
  group.setup(async () => {
    const manager = await app.container.make('auth_manager')
    const { config } = manager.feature('workspaces')!
    const { common } = config
    config.common = true
    return () => void (config.common = common)
  })
  // /feature

  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('are written, read, changed and deleted by their author', async ({ client, assert }) => {
    const ann = await UserFactory.create()
    const made = await client
      .post('/api/posts')
      .as(ann)
      .type(MEDIA_TYPE)
      .json(JSON.parse(document({ title: 'Cats', body: 'They sleep.' })))
    made.assertStatus(201)
    const { id } = JSON.parse(made.text()).data
    const read = await client.get(`/api/posts/${id}`).as(ann)
    assert.equal(JSON.parse(read.text()).data.attributes.title, 'Cats')
    const changed = await client
      .patch(`/api/posts/${id}`)
      .as(ann)
      .type(MEDIA_TYPE)
      .json(JSON.parse(document({ title: 'Dogs' }, id)))
    changed.assertStatus(200)
    const deleted = await client.delete(`/api/posts/${id}`).as(ann)
    deleted.assertStatus(204)
    const gone = await client.get(`/api/posts/${id}`).as(ann)
    gone.assertStatus(404)
  })

  test('nobody else changes or deletes them', async ({ client }) => {
    const [ann, bob] = await UserFactory.createMany(2)
    const post = await PostFactory.merge({ userId: ann!.id }).create()
    const changed = await client
      .patch(`/api/posts/${post.id}`)
      .as(bob!)
      .type(MEDIA_TYPE)
      .json(JSON.parse(document({ title: 'Mine' }, post.id)))
    changed.assertStatus(403)
    const deleted = await client.delete(`/api/posts/${post.id}`).as(bob!)
    deleted.assertStatus(403)
  })

  test('GET /api/posts pages, with the author and the comments when asked', async ({
    client,
    assert,
  }) => {
    const ann = await UserFactory.create()
    await PostFactory.merge({ userId: ann.id }).createMany(2)
    const response = await client.get('/api/posts?include=author,comments&page[size]=1').as(ann)
    response.assertStatus(200)
    assert.lengthOf(JSON.parse(response.text()).data, 1)
  })

  test('GET {path} of a post is a document')
    .with(
      ['author', 'comments', 'relationships/author', 'relationships/comments'].map((path) => ({
        path,
      }))
    )
    .run(async ({ client, assert }, { path }) => {
      const ann = await UserFactory.create()
      const post = await PostFactory.merge({ userId: ann.id }).create()
      const response = await client.get(`/api/posts/${post.id}/${path}`).as(ann)
      response.assertStatus(200)
      assert.property(JSON.parse(response.text()), 'data')
    })

  test('POST /api/operations writes a post with its comments', async ({ client, assert }) => {
    const post = { type: 'posts', lid: 'new', attributes: { title: 'Cats', body: 'They sleep.' } }
    const relationships = { post: { data: { type: 'posts', lid: 'new' } } }
    const comment = { type: 'comments', attributes: { body: 'Mine too.' }, relationships }
    const response = await client
      .post('/api/operations')
      .as(await UserFactory.create())
      .json({ 'atomic:operations': [post, comment].map((data) => ({ op: 'add', data })) })
      .type(`${MEDIA_TYPE}; ext="https://jsonapi.org/ext/atomic"`)
    response.assertStatus(200)
    assert.lengthOf(JSON.parse(response.text())['atomic:results'], 2)
  })

  test('GET /posts and GET /posts/:id are pages', async ({ client }) => {
    const ann = await UserFactory.create()
    const post = await PostFactory.merge({ userId: ann.id }).create()
    for (const path of ['/posts', `/posts/${post.id}`]) {
      const response = await client.get(path).accept('html')
      response.assertStatus(200)
    }
  })

  test('a page behind the last one leads to the last one', async ({ client }) => {
    await PostFactory.merge({ userId: (await UserFactory.create()).id }).createMany(11)
    const response = await client.get('/posts?page=99999').accept('html').redirects(0)
    response.assertStatus(302)
    response.assertHeader('location', '/posts?page=2')
  })
})
