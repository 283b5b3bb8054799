import { test } from '@japa/runner'
import vine from '@vinejs/vine'
import { DateTime } from 'luxon'

import { JsonResource } from '#kit/json_api/json_resource'
import { validated } from '#kit/json_api/resource_writes'
import type { InferDocument } from '#kit/json_api/types'

/*
| What these tests say is checked by the type checker: they have no cast, and a
| wrong type fails "npm run typecheck".
*/

class AuthorResource extends JsonResource<{ id: number; name: string }> {
  toAttributes() {
    return { name: this.resource.name, joinedAt: DateTime.fromMillis(0, { zone: 'utc' }), big: 1n }
  }
}

class BookResource extends JsonResource<{
  id: number
  title: string
  author: { id: number; name: string }
}> {
  toAttributes() {
    return { title: this.resource.title, pages: 12 as number | null }
  }

  toRelationships() {
    return {
      author: AuthorResource,
      readers: () => AuthorResource.collection([]),
      editor: () => new AuthorResource(null),
    }
  }
}

const book = { id: 1, title: 'Hello', author: { id: 2, name: 'Virk' } }

test.group('JsonResource | types', () => {
  test('a document is typed by the attributes and relationships of its resource', async ({
    assert,
  }) => {
    const resource = new BookResource(book)
    const document: InferDocument<typeof resource> = await resource
      .include('author', 'readers', 'editor')
      .serialize()

    const title: string | undefined = document.data?.attributes.title
    const pages: number | null | undefined = document.data?.attributes.pages
    const author: { type: string; id: string } | undefined =
      document.data?.relationships?.author?.data
    const readers: { id: string }[] | undefined = document.data?.relationships?.readers?.data
    const editor: { id: string } | null | undefined = document.data?.relationships?.editor?.data
    // @ts-expect-error there is no such attribute
    assert.isUndefined(document.data?.attributes.nothing)
    assert.deepEqual(
      [title, pages, author, readers, editor],
      ['Hello', 12, { type: 'authors', id: '2' }, [], null]
    )
  })

  test('a collection is a list, and values are those of JSON', async ({ assert }) => {
    const { data } = await AuthorResource.collection([book.author]).serialize()
    const joinedAt: string | null = data[0]!.attributes.joinedAt
    const big: string = data[0]!.attributes.big
    assert.deepEqual([joinedAt, big], ['1970-01-01T00:00:00.000Z', '1'])
    // @ts-expect-error a post is no author
    AuthorResource.collection([{ id: 1, title: 'x' }])
  })

  test('a write names a validator of the whole document', ({ assert }) => {
    const name = vine.object({ name: vine.string() })
    const whole = vine.create({ data: vine.object({ attributes: name }) })
    const { validator } = validated(whole, async ({ attributes }) => attributes.name)
    assert.equal(validator, whole)
    // @ts-expect-error one of the attributes alone
    validated(vine.create(name), async ({ attributes }) => attributes.name)
  })
})
