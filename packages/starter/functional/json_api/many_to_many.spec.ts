import { readFile } from 'node:fs/promises'

import app from '@adonisjs/core/services/app'
import type { HttpContext } from '@adonisjs/core/http'
import router from '@adonisjs/core/services/router'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'
import { writing } from '#kit/json_api/resource_writes'
import type Post from '#models/post'
import type User from '#models/user'
import { middleware } from '#start/kernel'
import { pageBlocks } from '#starter/helpers/document_blocks'
import { taggedPostWrites } from '#starter/helpers/fixtures/tagged_posts'

const ACTIONS = { POST: 'add', PATCH: 'replace', DELETE: 'remove' } as const

router
  .route('/_test/tagged/:id', Object.keys(ACTIONS), async (ctx: HttpContext) => {
    const action = ACTIONS[ctx.request.method() as keyof typeof ACTIONS]
    await writing(ctx, taggedPostWrites, (posts, body) =>
      posts.relate(ctx.params.id, 'tags', action, body)
    )
    return ctx.response.noContent()
  })
  .use([middleware.jsonApi(), middleware.auth({ guards: ['api'] }), middleware.workspace()])

const linkage = (...ids: number[]) => ({
  data: ids.map((id) => ({ type: 'tags', id: String(id) })),
})

test.group('The many-to-many relationship of docs/json-api.md', (group) => {
  let ann: User
  let post: Post

  group.each.setup(async () => {
    await db.connection().schema.createTable('tags', (table) => {
      table.increments('id')
      table.string('name').notNullable().unique()
    })
    await db.connection().schema.createTable('post_tag', (table) => {
      table.integer('post_id').notNullable().references('posts.id').onDelete('CASCADE')
      table.integer('tag_id').notNullable().references('tags.id').onDelete('CASCADE')
      table.primary(['post_id', 'tag_id'])
    })
    await db.table('tags').multiInsert([{ name: 'cats' }, { name: 'dogs' }])
    ann = await UserFactory.create()
    post = await PostFactory.merge({ userId: ann.id }).create()
    return async () => {
      await db.connection().schema.dropTable('post_tag')
      await db.connection().schema.dropTable('tags')
      await ann.delete()
    }
  })

  const tagged = async () =>
    (await db.from('post_tag').orderBy('tag_id').select('tag_id')).map(({ tag_id: id }) => id)

  const send = (client: any, user: User, method: string, document: object) =>
    client[method](`/_test/tagged/${post.id}`)
      .withApiToken(user, ['posts:write'])
      .header('Content-Type', 'application/vnd.api+json')
      .json(document)

  test('is the code that readers copy', async ({ assert }) => {
    const code = await readFile(
      app.makePath('packages/starter/helpers/fixtures/tagged_posts.ts'),
      'utf8'
    )
    assert.include(
      pageBlocks('docs/json-api.md').map((block) => block.code),
      code
    )
  })

  test('is changed by whoever may change the post, and by nobody else', async ({
    client,
    assert,
  }) => {
    const bob = await UserFactory.create()
    for (const [method, names, left] of [
      ['post', [1], [1]],
      ['patch', [2], [2]],
      ['delete', [2], []],
    ] as const) {
      const before = await tagged()
      ;(await send(client, bob, method, linkage(...names))).assertStatus(403)
      assert.deepEqual(await tagged(), before)
      ;(await send(client, ann, method, linkage(...names))).assertStatus(204)
      assert.deepEqual(await tagged(), left)
    }
    await bob.delete()
  })

  test('has a tag once, however many requests add it at a time', async ({ client, assert }) => {
    const requests = Array.from({ length: 8 }, () => send(client, ann, 'post', linkage(1, 2)))
    for (const response of await Promise.all(requests)) response.assertStatus(204)
    assert.deepEqual(await tagged(), [1, 2])
  })
})
