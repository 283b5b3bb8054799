import { test } from '@japa/runner'

import { toMany, toOne } from '#kit/json_api/declared_relationships'
import { JsonResource } from '#kit/json_api/json_resource'
import { MEDIA_TYPE, caller, emptyTables, newPost, publish } from '#starter/helpers/json_api_calls'
import { judge } from '#starter/helpers/json_api_judge'

/*
| JSON:API 1.1, "Content Negotiation" and "Document Structure". A title is the
| statement of the specification, in its words where they are short.
*/

interface Thing {
  id: number
  name: string
  parent?: Thing | null
  children?: Thing[]
}

class ThingResource extends JsonResource<Thing> {
  static hidden = ['id']

  toRelationships() {
    return { parent: toOne(() => ThingResource), children: toMany(() => ThingResource) }
  }
}

/** What is sent: dates, bigints and members that are undefined are JSON by then. */
async function sent(source: { serialize(): Promise<unknown> }): Promise<any> {
  return JSON.parse(JSON.stringify(await source.serialize()))
}

const leaf: Thing = { id: 2, name: 'leaf', parent: null, children: [] }
const root: Thing = { id: 1, name: 'root', parent: null, children: [leaf] }

test.group('Specification | Content Negotiation', (group) => {
  group.each.setup(() => emptyTables)

  test('all JSON:API data is sent with the media type, in answers and in errors', async ({
    client,
    assert,
  }) => {
    const { author, post } = await publish()
    const call = caller(client, author)
    for (const path of [
      '/api/posts',
      `/api/posts/${post.id}`,
      `/api/posts/${post.id}/comments`,
      `/api/posts/${post.id}/relationships/comments`,
      '/api/posts/0',
      '/api/posts?sort=nothing',
    ]) {
      const { headers, document } = await call('GET', path)
      assert.equal(headers['content-type']!.split(';', 1)[0], MEDIA_TYPE, path)
      assert.deepEqual(judge(document), [], path)
    }
  })

  test('the media type of an answer has no parameter but ext and profile', async ({
    client,
    assert,
  }) => {
    const { author } = await publish()
    for (const path of ['/api/posts', '/api/posts?page[after]=', '/api/posts/0']) {
      const { headers } = await caller(client, author)('GET', path)
      assert.match(headers['content-type']!, /^application\/vnd\.api\+json(; profile="[^"]+")?$/)
    }
  })

  test('a Content-Type with a parameter other than ext and profile is 415', async ({ client }) => {
    const { author } = await publish()
    const response = await client
      .post('/api/posts')
      .as(author, ['posts:write'])
      .json(newPost())
      .header('Content-Type', `${MEDIA_TYPE}; charset=utf-8`)
    response.assertStatus(415)
  })

  test('a Content-Type with an extension that is not supported is 415', async ({ client }) => {
    const { author } = await publish()
    const response = await client
      .post('/api/posts')
      .as(author, ['posts:write'])
      .json(newPost())
      .header('Content-Type', `${MEDIA_TYPE}; ext="https://jsonapi.org/ext/atomic"`)
    response.assertStatus(415)
  })

  test('instances of the media type in Accept with other parameters are ignored; 406 when none is left', async ({
    client,
    assert,
  }) => {
    const { author } = await publish()
    for (const [accept, status] of [
      [`${MEDIA_TYPE}; charset=utf-8, ${MEDIA_TYPE}`, 200],
      [`${MEDIA_TYPE}; charset=utf-8`, 406],
      [`${MEDIA_TYPE}; charset=utf-8, ${MEDIA_TYPE}; version=1`, 406],
    ] as const) {
      const response = await client
        .get('/api/posts')
        .as(author, ['posts:read'])
        .header('Accept', accept)
      assert.equal(response.status(), status, accept)
    }
  })

  test('instances with an extension that is not supported alone are 406', async ({ client }) => {
    const { author } = await publish()
    const response = await client
      .get('/api/posts')
      .as(author, ['posts:read'])
      .header('Accept', `${MEDIA_TYPE}; ext="https://jsonapi.org/ext/atomic"`)
    response.assertStatus(406)
  })

  test('a profile that is not recognised is ignored', async ({ client }) => {
    const { author } = await publish()
    const response = await client
      .get('/api/posts')
      .as(author, ['posts:read'])
      .header('Accept', `${MEDIA_TYPE}; profile="https://example.com/unknown"`)
    response.assertStatus(200)
  })

  test('Vary names Accept, since ext and profile are parameters of it', async ({
    client,
    assert,
  }) => {
    const { author } = await publish()
    for (const path of ['/api/posts', '/api/posts/0']) {
      const { headers } = await caller(client, author)('GET', path)
      assert.include(headers.vary!.toLowerCase(), 'accept', path)
    }
  })
})

test.group('Specification | Top Level', (group) => {
  group.each.setup(() => emptyTables)

  test('a JSON object is at the root, with data, errors or meta', async ({ assert }) => {
    assert.onlyProperties(await sent(new ThingResource(root)), ['data'])
    assert.onlyProperties(await sent(ThingResource.collection([])), ['data'])
  })

  test('data and errors do not coexist, and without data there is no included', async ({
    client,
    assert,
  }) => {
    const { author } = await publish()
    const { document } = await caller(client, author)('GET', '/api/posts/0?include=comments')
    assert.onlyProperties(document, ['errors'])
  })

  test('primary data is one resource object or null for a single resource', async ({ assert }) => {
    assert.equal((await sent(new ThingResource(leaf))).data.id, '2')
    assert.isNull((await sent(new ThingResource(null))).data)
  })

  test('a logical collection is an array, even of one item or of none', async ({ assert }) => {
    assert.lengthOf((await sent(ThingResource.collection([leaf]))).data, 1)
    assert.deepEqual((await sent(ThingResource.collection([]))).data, [])
  })

  test('members that the specification does not know are ignored in a request', async ({
    client,
    assert,
  }) => {
    const { author } = await publish()
    const { status } = await caller(client, author)('POST', '/api/posts', {
      ...newPost({ unknown: true, meta: { a: 1 }, links: {} }),
      'unknown': 1,
      '@context': 'https://example.com',
      'jsonapi': { version: '1.1' },
    })
    assert.equal(status, 201)
  })
})

test.group('Specification | Resource Objects', (group) => {
  group.each.setup(() => emptyTables)

  test('type and id are there and are strings', async ({ assert }) => {
    const { data } = await sent(ThingResource.collection([root, leaf]))
    assert.deepEqual(
      data.map(({ type, id }: any) => [type, id]),
      [
        ['things', '1'],
        ['things', '2'],
      ]
    )
  })

  test('fields share one namespace: no attribute has the name of a relationship', async ({
    assert,
  }) => {
    const { data } = await sent(new ThingResource(root).include('children'))
    assert.onlyProperties(data.attributes, ['name'])
    assert.onlyProperties(data.relationships, ['children'])
  })

  test('no field is named type or, when it is hidden, id', async ({ assert }) => {
    class TypedResource extends JsonResource<{ id: number; type: string }> {}
    await assert.rejects(() => new TypedResource({ id: 1, type: 'x' }).serialize(), /JSON:API/)
    assert.notProperty((await sent(new ThingResource(leaf))).data.attributes, 'id')
  })

  test('attributes are an object, of any JSON values', async ({ assert }) => {
    class AnyResource extends JsonResource {
      toAttributes() {
        return { a: null, b: [1, { c: true }], d: { e: {} }, f: new Date(0), g: 1n }
      }
    }
    const { data } = await sent(new AnyResource({ id: 1 }))
    assert.deepEqual(data.attributes, {
      a: null,
      b: [1, { c: true }],
      d: { e: {} },
      f: '1970-01-01T00:00:00.000Z',
      g: '1',
    })
  })

  test('foreign keys do not appear as attributes', async ({ client, assert }) => {
    const { author, post } = await publish()
    const { document } = await caller(client, author)('GET', `/api/posts/${post.id}`)
    assert.notProperty(document.data.attributes, 'userId')
  })

  test('member names that the specification forbids are never sent', async ({ assert }) => {
    for (const name of ['', '_a', 'a_', '-a', 'a.b', 'a+b', 'a,b', 'a[b]', 'a/b', 'a b ']) {
      class NamedResource extends JsonResource {
        toAttributes() {
          return { [name]: 1 }
        }
      }
      await assert.rejects(() => new NamedResource({ id: 1 }).serialize(), /JSON:API forbids/)
    }
  })

  test('member names are case sensitive', async ({ assert }) => {
    class CasedResource extends JsonResource {
      toAttributes() {
        return { name: 1, Name: 2 }
      }
    }
    const { data } = await sent(new CasedResource({ id: 1 }).fields('Name'))
    assert.deepEqual(data.attributes, { Name: 2 })
  })
})

test.group('Specification | Relationships and linkage', (group) => {
  group.each.setup(() => emptyTables)

  test('linkage is null, an empty array, one identifier, or an array of them', async ({
    assert,
  }) => {
    const child: Thing = { id: 3, name: 'child', parent: root, children: [] }
    const { data } = await sent(
      ThingResource.collection([root, child]).include('parent', 'children')
    )
    assert.isNull(data[0].relationships.parent.data)
    assert.deepEqual(data[0].relationships.children.data, [{ type: 'things', id: '2' }])
    assert.deepEqual(data[1].relationships.parent.data, { type: 'things', id: '1' })
    assert.deepEqual(data[1].relationships.children.data, [])
  })

  test('a resource identifier object has a type and an id', async ({ client, assert }) => {
    const { author, post, comments } = await publish()
    const path = `/api/posts/${post.id}/relationships/comments`
    const { document } = await caller(client, author)('GET', path)
    assert.sameDeepMembers(
      document.data,
      comments.map(({ id }) => ({ type: 'comments', id: String(id) }))
    )
  })

  test('links, meta and the members of both are objects, strings or null', async ({
    client,
    assert,
  }) => {
    const { author } = await publish()
    const { document } = await caller(client, author)('GET', '/api/posts?page[size]=1')
    assert.isObject(document.meta)
    for (const link of Object.values(document.links)) {
      assert.isTrue(link === null || typeof link === 'string')
    }
  })
})

test.group('Specification | Compound Documents', (group) => {
  group.each.setup(() => emptyTables)

  test('included resources are an array of resource objects at the top level', async ({
    assert,
  }) => {
    const { included } = await sent(new ThingResource(root).include('children'))
    assert.deepEqual(included, [{ type: 'things', id: '2', attributes: { name: 'leaf' } }])
  })

  test('every included resource is identified by linkage in the same document', async ({
    client,
    assert,
  }) => {
    const { author } = await publish()
    const path = '/api/posts?include=author,comments.author'
    const { document } = await caller(client, author)('GET', path)
    assert.isNotEmpty(document.included)
    assert.deepEqual(judge(document), [])
  })

  test('there is one resource object for each type and id', async ({ assert }) => {
    const cyclic: Thing = { id: 4, name: 'cyclic' }
    cyclic.parent = cyclic
    cyclic.children = [cyclic, leaf, leaf]
    const document = await sent(
      ThingResource.collection([cyclic, cyclic]).include('parent.parent', 'children')
    )
    assert.deepEqual(judge(document), [])
    assert.lengthOf(document.data, 1)
    assert.lengthOf(document.included, 1)
  })
})
