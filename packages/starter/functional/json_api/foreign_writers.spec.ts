import { createRequire } from 'node:module'

import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import router from '@adonisjs/core/services/router'
import db from '@adonisjs/lucid/services/db'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import { test } from '@japa/runner'
import { Jsona } from 'jsona'
import vine from '@vinejs/vine'

import { ApiToken } from '#kit/api_token/facade'
import { JsonResource } from '#kit/json_api/json_resource'
import { jsonApiResource } from '#kit/json_api/resource_routes'
import { defineWrites, validated, writing } from '#kit/json_api/resource_writes'
import { toOne } from '#kit/json_api/declared_relationships'
import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'
import Post from '#models/post'
import PostResource from '#resources/post_resource'
import { middleware } from '#start/kernel'
import { serverUrl } from '#starter/helpers/server_url'

/* Their types are not resolvable from an ES module. */
const require = createRequire(import.meta.url)
const { JSONAPISource }: any = require('@orbit/jsonapi')
const { RecordSchema }: any = require('@orbit/records')
const { SpraypaintBase, attr, belongsTo: toOneOf }: any = require('spraypaint')

/** A note about a post; clients choose its id. */
class Note extends BaseModel {
  static table = 'fw_notes'
  static selfAssignPrimaryKey = true

  @column({ isPrimary: true })
  declare id: string

  @column()
  declare text: string

  @column()
  declare postId: number

  @belongsTo(() => Post)
  declare post: BelongsTo<typeof Post>

  @column()
  declare parentId: string | null

  @belongsTo(() => Note, { foreignKey: 'parentId' })
  declare parent: BelongsTo<typeof Note>
}

class NoteResource extends JsonResource<Note> {
  static hidden = ['id', 'postId', 'parentId']
  static linkage = ['post']

  toRelationships() {
    return { post: toOne(() => PostResource), parent: toOne(() => NoteResource) }
  }
}

const validator = vine.create({
  data: vine.object({
    id: vine.string().uuid().optional(),
    attributes: vine.object({ text: vine.string() }).optional(),
  }),
})

const noteWrites = defineWrites<Note>({
  resource: () => NoteResource,
  find: (id, { trx }) => Note.findOrFail(id, { client: trx }),
  clientIds: 'uuid',
  create: validated(validator, ({ attributes, relationships: { post, parent }, id, trx }) => {
    const postId = Number([post!].flat()[0]!.id)
    const parentId = [parent ?? []].flat()[0]?.id ?? null
    const values = { id: id ?? crypto.randomUUID(), text: attributes.text, postId, parentId }
    return Note.create(values, { client: trx })
  }),
  update: validated(validator, async ({ attributes, relationships: { post }, model }) => {
    const [moved] = [post ?? []].flat()
    return model.merge({ ...attributes, ...(moved && { postId: Number(moved.id) }) }).save()
  }),
  async remove(note) {
    await note.delete()
  },
  relationships: {
    post: { types: ['posts'], isToMany: false, set: ['create', 'update'] },
    parent: { types: ['notes'], isToMany: false, set: ['create'] },
  },
})

class NotesController {
  async show({ params }: any) {
    return new NoteResource(await Note.findOrFail(params.id))
  }

  async store(ctx: any) {
    const note = await writing(ctx, noteWrites, (notes, body) => notes.create(body))
    return ctx.response.created(new NoteResource(note))
  }

  async update(ctx: any) {
    const { id } = ctx.params
    return new NoteResource(await writing(ctx, noteWrites, (notes, body) => notes.update(id, body)))
  }

  async destroy(ctx: any) {
    await writing(ctx, noteWrites, (notes) => notes.remove(ctx.params.id))
    return ctx.response.noContent()
  }
}

const use = [middleware.auth({ guards: ['api'] })]
jsonApiResource(router, 'notes', NotesController, {
  resource: () => NoteResource,
  jsonApi: middleware.jsonApi,
  use: { read: use, write: use },
  only: ['show', 'store', 'update', 'destroy'],
})
  .prefix('/_test/writers')
  .as('writers')

test.group('Clients that set relationships', (group) => {
  group.setup(async () => {
    const drop = () => db.connection().schema.dropTableIfExists('fw_notes')
    await drop()
    await db.connection().schema.createTable('fw_notes', (table) => {
      table.uuid('id').primary()
      table.text('text').notNullable()
      table.integer('post_id').notNullable()
      table.uuid('parent_id').nullable().references('fw_notes.id')
    })
    return drop
  })
  group.each.setup(() => async () => {
    await Post.query().delete()
  })

  test('Orbit creates with an id of its own, moves to another post, and removes', async ({
    assert,
  }) => {
    const { headers, url, posts } = await caller()
    const schema = new RecordSchema({
      models: {
        note: {
          attributes: { text: { type: 'string' } },
          relationships: { post: { kind: 'hasOne', type: 'post' } },
        },
        post: { attributes: { title: { type: 'string' } } },
      },
    })
    const source = new JSONAPISource({
      schema,
      name: 'remote',
      host: url,
      /* Types are plural here; Orbit sends them as its models are called unless it is told. */
      serializerSettingsFor: (type: string) =>
        type === 'resourceType'
          ? {
              serializationOptions: { inflectors: ['pluralize'] },
              deserializationOptions: { inflectors: ['singularize'] },
            }
          : {},
      defaultFetchSettings: { headers: { ...headers, Accept: 'application/vnd.api+json' } },
    })
    const id = crypto.randomUUID()
    const identity = { type: 'note', id }
    const post = (index: number) => ({ type: 'post', id: String(posts[index]!.id) })
    const record = {
      ...identity,
      attributes: { text: 'Mine' },
      relationships: { post: { data: post(0) } },
    }
    const created = await source.update((change: any) => change.addRecord(record))
    assert.equal(created.attributes.text, 'Mine')
    assert.equal((await Note.findOrFail(id)).postId, posts[0]!.id)

    const moved = { ...identity, relationships: { post: { data: post(1) } } }
    await source.update((change: any) => change.updateRecord(moved))
    assert.equal((await Note.findOrFail(id)).postId, posts[1]!.id)
    const read = await source.query((query: any) => query.findRecord(identity))
    assert.equal(read.relationships.post.data.id, String(posts[1]!.id))

    await source.update((change: any) => change.removeRecord(identity))
    assert.isNull(await Note.find(id))
  })

  test('spraypaint creates with a relationship, changes and removes', async ({ assert }) => {
    const { token, url, posts } = await caller()
    const Base = SpraypaintBase.extend({
      static: {
        baseUrl: url,
        apiNamespace: '',
        jwt: token,
        generateAuthHeader: (jwt: string) => `Bearer ${jwt}`,
      },
    })
    const Posts = Base.extend({ static: { jsonapiType: 'posts' }, attrs: { title: attr() } })
    const Notes = Base.extend({
      static: { jsonapiType: 'notes' },
      attrs: { text: attr(), post: toOneOf({ type: Posts }) },
    })
    const post = new Posts({ id: String(posts[0]!.id) })
    post.isPersisted = true
    const note = new Notes({ text: 'Hers', post })
    assert.isTrue(await note.save({ with: ['post.id'] }))
    assert.equal((await Note.findOrFail(note.id)).postId, posts[0]!.id)

    note.text = 'Changed'
    assert.isTrue(await note.save())
    assert.equal((await Note.findOrFail(note.id)).text, 'Changed')
    assert.isTrue(await note.destroy())
    assert.isNull(await Note.find(note.id))
  })

  test('an id that another resource has is 409, and the resource stays', async ({ assert }) => {
    const create = await creator()
    const id = crypto.randomUUID()
    assert.deepEqual(await create({ id, text: 'First' }), [201, undefined])
    assert.deepEqual(await create({ id, text: 'Second' }), [409, 'conflict'])
    assert.equal((await Note.findOrFail(id)).text, 'First')
  })

  test('{$self} is the id of no related resource, which is 404 on both databases')
    .with(['abc', '7', crypto.randomUUID()])
    .run(async ({ assert }, parent) => {
      const create = await creator()
      assert.deepEqual(await create({ parent }), [404, 'related_not_found'])
    })

  test('a UUID in capitals is that of the same resource: in an address, a document, a linkage, an operation', async ({
    assert,
  }) => {
    const { headers, url } = await caller()
    const create = await creator()
    const id = crypto.randomUUID()
    await create({ id })
    const address = `${url}/notes/${id.toUpperCase()}`
    const shown = await fetch(address, { headers })
    assert.equal(shown.status, 200)
    assert.equal(((await shown.json()) as any).data.id, id)

    const changed = await fetch(address, {
      method: 'PATCH',
      headers: { ...headers, 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify({ data: { type: 'notes', id: id.toUpperCase() } }),
    })
    assert.equal(changed.status, 200)
    assert.deepEqual(await create({ parent: id.toUpperCase() }), [201, undefined])
    await Note.query().where('parent_id', id).delete()
    assert.equal((await fetch(address, { method: 'DELETE', headers })).status, 204)
    assert.isNull(await Note.find(id))
  })

  test('Jsona sends back all that it read, creates with a relationship, and moves', async ({
    assert,
  }) => {
    const { headers, url, posts } = await caller()
    const formatter = new Jsona()
    const send = async (method: string, path: string, stuff: object, names: string[]) => {
      const { data } = formatter.serialize({ stuff, includeNames: names } as never)
      const response = await fetch(`${url}/${path}`, {
        method,
        headers: { ...headers, 'content-type': 'application/vnd.api+json' },
        body: JSON.stringify({ data }),
      })
      return { status: response.status, model: formatter.deserialize(await response.json()) as any }
    }
    const post = (index: number) => ({ type: 'posts', id: String(posts[index]!.id) })
    const note = { type: 'notes', text: 'Ours', post: post(0), relationshipNames: ['post'] }
    const created = await send('POST', 'notes', note, ['post'])
    assert.equal(created.status, 201)
    assert.equal((await Note.findOrFail(created.model.id)).postId, posts[0]!.id)

    const path = `notes/${created.model.id}`
    const echoed = await send('PATCH', path, { ...created.model, text: 'Same post' }, ['post'])
    assert.equal(echoed.status, 200)
    assert.equal(echoed.model.text, 'Same post')
    await send('PATCH', path, { ...echoed.model, post: post(1) }, ['post'])
    assert.equal((await Note.findOrFail(created.model.id)).postId, posts[1]!.id)
  })
})

/** Two posts, a token of their author, and where the notes are. */
async function caller() {
  const user = await UserFactory.create()
  const posts = await PostFactory.merge({ userId: user.id }).createMany(2)
  const { plainText } = await ApiToken.create(user, 'client', ['posts:read', 'posts:write'])
  const url = await serverUrl('/_test/writers')
  return { posts, url, token: plainText, headers: { Authorization: `Bearer ${plainText}` } }
}

/** Creates a note, and tells the status and the code of the error. */
async function creator() {
  const { headers, url, posts } = await caller()
  return async ({ id, text = 'Mine', parent }: { id?: string; text?: string; parent?: string }) => {
    const relationships = {
      post: { data: { type: 'posts', id: String(posts[0]!.id) } },
      ...(parent && { parent: { data: { type: 'notes', id: parent } } }),
    }
    const response = await fetch(`${url}/notes`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify({ data: { type: 'notes', id, attributes: { text }, relationships } }),
    })
    const { errors } = (await response.json()) as { errors?: { code: string }[] }
    return [response.status, errors?.[0]!.code]
  }
}
