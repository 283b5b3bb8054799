import { test } from '@japa/runner'

import { toMany, toOne } from '#kit/json_api/declared_relationships'
import { JsonResource } from '#kit/json_api/json_resource'
import type { Links } from '#kit/json_api/types'
import { judge } from '#starter/helpers/json_api_judge'

interface User {
  id: number
  name: string
  email?: string
}

interface Post {
  id: number
  title: string
  author?: User | null
  comments?: { id: number; body: string; author?: User | null }[]
}

class UserResource extends JsonResource<User> {
  static hidden = ['id']
}

class CommentResource extends JsonResource<NonNullable<Post['comments']>[number]> {
  static hidden = ['id']

  toRelationships() {
    return { author: UserResource }
  }
}

class PostResource extends JsonResource<Post> {
  static hidden = ['id']

  toRelationships() {
    return {
      author: UserResource,
      comments: () => CommentResource.collection(this.resource.comments!),
    }
  }
}

const virk = { id: 1, name: 'Virk' }
const romain = { id: 2, name: 'Romain' }
const post: Post = {
  id: 7,
  title: 'Hello',
  author: virk,
  comments: [
    { id: 1, body: 'First', author: romain },
    { id: 2, body: 'Second', author: virk },
  ],
}

test.group('JsonResource | type', () => {
  test('is the class name inflected like a table name, without "Resource"', ({ assert }) => {
    class UserProfileResource extends JsonResource {}
    class CategoryResource extends JsonResource {}
    class PersonResource extends JsonResource {}
    class News extends JsonResource {}

    assert.equal(PostResource.type, 'posts')
    assert.equal(UserProfileResource.type, 'user_profiles')
    assert.equal(CategoryResource.type, 'categories')
    assert.equal(PersonResource.type, 'people')
    assert.equal(News.type, 'news')
  })

  test('is what a class attribute says, for its subclasses too', async ({ assert }) => {
    class ArticleResource extends JsonResource<Post> {
      static type = 'articles'
    }
    class DraftResource extends ArticleResource {}

    const { data } = await new ArticleResource(post).serialize()
    assert.equal(data!.type, 'articles')
    assert.equal(DraftResource.type, 'articles')
    assert.equal(PostResource.type, 'posts')
  })

  test('is refused for the bare class, an anonymous class and one named Resource', async ({
    assert,
  }) => {
    class Resource extends JsonResource {}
    const anonymous = (() => class extends JsonResource {})()

    for (const resourceClass of [JsonResource, Resource, anonymous]) {
      await assert.rejects(
        async () => new resourceClass(post).serialize(),
        /A resource type cannot be derived from the class name/
      )
    }
  })
})

test.group('JsonResource | resource object', () => {
  test('has type, id as text, and attributes without the hidden ones', async ({ assert }) => {
    assert.deepEqual(await new PostResource(post).serialize(), {
      data: { type: 'posts', id: '7', attributes: { title: 'Hello' } },
    } as any)
  })

  test('keeps id among the attributes unless it is hidden', async ({ assert }) => {
    class TagResource extends JsonResource<{ id: number; name: string }> {}
    const document = await new TagResource({ id: 3, name: 'news' }).serialize()
    assert.deepEqual(document.data!.attributes, { id: 3, name: 'news' })
  })

  test('takes what the serialize call of the model returns', async ({ assert }) => {
    class TagResource extends JsonResource {
      static hidden = ['secret']
    }
    const tag = {
      id: 3,
      serialize() {
        return { name: `Tag ${this.id}`, secret: 'x' }
      },
    }
    const { data } = await new TagResource(tag).serialize()
    assert.deepEqual(data, { type: 'tags', id: '3', attributes: { name: 'Tag 3' } } as any)
  })

  test('a static member that is not static is refused: it would hide nothing', async ({
    assert,
  }) => {
    class TagResource extends JsonResource {
      hidden = ['secret']
    }
    const tag = { id: 3, secret: 'x' }
    const fault = 'TagResource: write "static" in front of "hidden"'
    await assert.rejects(() => new TagResource(tag).serialize(), fault)
    await assert.rejects(() => TagResource.collection([tag]).serialize(), fault)

    class NewsResource extends JsonResource {
      get type() {
        return 'news'
      }
    }
    await assert.rejects(() => new NewsResource(tag).serialize(), /"static" in front of "type"/)
  })

  test('takes toAttributes, which may start from the default', async ({ assert }) => {
    class LoudResource extends PostResource {
      toAttributes() {
        return { ...super.toAttributes(), loud: this.resource.title.toUpperCase() }
      }
    }
    const { data } = await new LoudResource(post).serialize()
    assert.deepEqual(data!.attributes, { title: 'Hello', loud: 'HELLO' })
  })

  test('never has a relationship among its attributes', async ({ assert }) => {
    const document = await new PostResource(post).include('author').serialize()
    assert.notProperty(document.data!.attributes, 'author')
    assert.notProperty(document.data!.attributes, 'comments')
    assert.deepEqual(judge(document), [])
  })

  test('has values as JSON has them', async ({ assert }) => {
    class EventResource extends JsonResource {
      static hidden = ['id']
    }
    const date = new Date('2026-01-02T03:04:05Z')
    const { data } = await new EventResource({
      id: 9007199254740993n,
      at: date,
      big: 9007199254740993n,
      nested: { at: date, list: [1n, null], ['__proto__']: 1 },
      none: null,
      missing: undefined,
    }).serialize()

    assert.deepEqual(data, {
      type: 'events',
      id: '9007199254740993',
      attributes: {
        at: '2026-01-02T03:04:05.000Z',
        big: '9007199254740993',
        nested: { at: '2026-01-02T03:04:05.000Z', list: ['1', null], ['__proto__']: 1 },
        none: null,
      },
    } as any)
  })

  test('has the attributes of its own model, whatever members those before it have', async ({
    assert,
  }) => {
    class TagResource extends JsonResource {
      static hidden = ['id']
    }
    const shown = [
      { a: 1, b: 2 },
      { a: 1, b: 2 },
      { b: 3, a: 4 },
      { a: 5 },
      { a: 6, b: null },
      { a: 7, b: 'x', c: false },
      { a: 8, b: { c: [9] } },
    ]
    const tags = shown.map((members, id) => ({ id, ...members }))
    tags.push({ id: 7, a: 10, b: undefined } as never)
    const { data } = await TagResource.collection(tags).serialize()
    assert.equal(
      JSON.stringify(data.map(({ attributes }) => attributes)),
      JSON.stringify([...shown, { a: 10 }])
    )
    assert.notProperty(data[7]!.attributes, 'b')
  })

  test('has names of members as they are, quotes and all', async ({ assert }) => {
    const name = `"]: globalThis.broken = true, \\\n'\u2028`
    class TagResource extends JsonResource {
      static hidden = ['id']
      static renamed = { [name]: 'kind' }
    }
    const tags = [1, 2, 3].map((id) => ({ id, [name]: id }))
    const { data } = await TagResource.collection(tags).serialize()
    assert.deepEqual(
      data.map(({ attributes }) => attributes as object),
      [{ kind: 1 }, { kind: 2 }, { kind: 3 }]
    )
    assert.notProperty(globalThis, 'broken')
  })

  test('needs an id', async ({ assert }) => {
    await assert.rejects(
      () => new PostResource({ title: 'x' } as Post).serialize(),
      'PostResource was given a model without an id'
    )
  })

  test('is null for null', async ({ assert }) => {
    class LinkedResource extends PostResource {
      toLinks() {
        return { self: `/posts/${this.resource.id}` }
      }
    }
    assert.deepEqual(await new LinkedResource(null).serialize(), { data: null })
    assert.deepEqual(await new LinkedResource(null).include('author').serialize(), {
      data: null,
      included: [],
    })
  })
})

test.group('JsonResource | inside of another value', () => {
  test('is refused, so that what it hides is not sent', ({ assert }) => {
    for (const value of [{ post: new PostResource(post) }, [PostResource.collection([post])]]) {
      assert.throws(() => JSON.stringify(value), /cannot be part of another value/)
    }
  })
})

test.group('JsonResource | top level', () => {
  test('has links, meta and extra keys from the hooks; extra keys come last', async ({
    assert,
  }) => {
    class FullResource extends PostResource {
      toLinks(): Links {
        return { self: '/posts/7' }
      }

      async toMeta() {
        return { copyright: 'us', size: 3n }
      }

      with(): Record<string, unknown> {
        return { jsonapi: { version: '1.1' } }
      }
    }
    class LouderResource extends FullResource {
      with() {
        return { meta: { mine: true }, links: { about: '/about' } }
      }
    }

    const { links, meta, jsonapi } = await new FullResource(post).serialize()
    assert.deepEqual(links, { self: '/posts/7' })
    assert.deepEqual(meta, { copyright: 'us', size: '3' })
    assert.deepEqual(jsonapi, { version: '1.1' })

    const louder = await new LouderResource(post).serialize()
    assert.deepEqual(louder.meta, { mine: true })
    assert.deepEqual(louder.links, { about: '/about' })
  })

  test('with() decides over with_(), which it brings with super.with()', async ({ assert }) => {
    class NamedResource extends PostResource {
      override with_(): Record<string, unknown> {
        return { named: true, both: 'with_' }
      }
    }
    class MergedResource extends NamedResource {
      override async with() {
        return { ...(await super.with()), both: 'with' }
      }
    }
    class LostResource extends NamedResource {
      override with() {
        return { both: 'with' }
      }
    }
    const merged = await new MergedResource(post).serialize()
    assert.include(merged, { named: true, both: 'with' })
    const lost = await new LostResource(post).serialize()
    assert.include(lost, { both: 'with' })
    assert.notProperty(lost, 'named')
  })

  test('has neither links, meta, jsonapi nor included unless asked for', async ({ assert }) => {
    assert.onlyProperties(await new PostResource(post).serialize(), ['data'])
    assert.onlyProperties(await PostResource.collection([post]).serialize(), ['data'])
  })
})

test.group('JsonResource | collection', () => {
  test('is a list, even of one or none', async ({ assert }) => {
    const one = await PostResource.collection([post]).serialize()
    assert.deepEqual(
      one.data.map(({ id }) => id),
      ['7']
    )
    assert.deepEqual(await PostResource.collection([]).serialize(), { data: [] })
  })

  test('has each resource once', async ({ assert }) => {
    const document = await PostResource.collection([post, { ...post }, { ...post, id: 8 }])
      .include('author')
      .serialize()
    assert.deepEqual(
      document.data.map(({ id }) => id),
      ['7', '8']
    )
    assert.deepEqual(judge(document), [])
  })

  test('refuses what is neither list nor paginator, and says what to do', ({ assert }) => {
    for (const items of [undefined, null, 'posts', 7]) {
      assert.throws(
        () => PostResource.collection(items as any),
        /PostResource.collection needs a list or a paginator/
      )
    }
  })

  test('takes the same chain calls', async ({ assert }) => {
    const document = await PostResource.collection([post])
      .include('author')
      .fields('users.name', 'nothing')
      .serialize()
    assert.deepEqual(document.data[0]!.attributes as object, {})
    assert.deepEqual(document.included![0]!.attributes, { name: 'Virk' })
  })
})

test.group('JsonResource | relationships', () => {
  test('a class is a to-one relationship read from the attribute of the same name', async ({
    assert,
  }) => {
    const { data, included } = await new PostResource(post).include('author').serialize()
    assert.deepEqual(data!.relationships, { author: { data: { type: 'users', id: '1' } } })
    assert.deepEqual(included, [{ type: 'users', id: '1', attributes: { name: 'Virk' } }])
  })

  test('a class is left out when the attribute is none', async ({ assert }) => {
    for (const author of [null, undefined]) {
      const { data, included } = await new PostResource({ ...post, author })
        .include('author')
        .serialize()
      assert.notProperty(data!.relationships ?? {}, 'author')
      assert.deepEqual(included, [])
    }
  })

  test('a callable gives a collection, a resource, or nothing', async ({ assert }) => {
    class Everything extends JsonResource<Post> {
      static type = 'posts'

      toRelationships() {
        return {
          list: () => CommentResource.collection(this.resource.comments!),
          none: () => CommentResource.collection([]),
          one: () => new UserResource(this.resource.author!),
          later: async () => new UserResource(romain),
          nobody: () => new UserResource(null),
          nothing: () => null,
        }
      }
    }
    const document = await new Everything(post)
      .include('list', 'none', 'one', 'later', 'nobody', 'nothing')
      .serialize()
    assert.deepEqual(document.data!.relationships, {
      list: {
        data: [
          { type: 'comments', id: '1' },
          { type: 'comments', id: '2' },
        ],
      },
      none: { data: [] },
      one: { data: { type: 'users', id: '1' } },
      later: { data: { type: 'users', id: '2' } },
      nobody: { data: null },
      nothing: { data: null },
    })
  })

  test('an instance is the related resource', async ({ assert }) => {
    class Reviewed extends JsonResource<Post> {
      static type = 'posts'
      static hidden = ['id', 'author', 'comments']

      toRelationships() {
        return { reviewer: new UserResource(this.resource.author ?? null) }
      }
    }
    const document = await new Reviewed(post).include('reviewer').serialize()
    assert.deepEqual(document.data!.relationships!.reviewer!.data, { type: 'users', id: '1' })
    assert.deepEqual(judge(document), [])

    const none = await new Reviewed({ ...post, author: null }).include('reviewer').serialize()
    assert.isNull(none.data!.relationships!.reviewer!.data)
  })

  test('anything else is refused by name', async ({ assert }) => {
    class WrongResource extends JsonResource<Post> {
      static type = 'posts'

      toRelationships(): any {
        return { raw: () => this.resource.comments, later: async () => 7, value: this.resource }
      }
    }
    for (const name of ['raw', 'later', 'value']) {
      await assert.rejects(
        () => new WrongResource(post).include(name).serialize(),
        `The relationship "${name}" of WrongResource is neither a resource nor a collection`
      )
    }
  })

  test('there may be none', async ({ assert }) => {
    await assert.rejects(
      () => new UserResource(virk).include('posts').serialize(),
      'There is no relationship "posts" here.'
    )
  })

  test('linkage is there only for what is included', async ({ assert }) => {
    const bare = await new PostResource(post).serialize()
    assert.notProperty(bare.data!, 'relationships')
    const { data } = await new PostResource(post).include('comments').serialize()
    assert.onlyProperties(data!.relationships!, ['comments'])
  })

  test('a relationship that is not included is never evaluated', async ({ assert }) => {
    class Costly extends JsonResource<Post> {
      static type = 'posts'

      toRelationships() {
        return {
          author: UserResource,
          costly: () => {
            throw new Error('evaluated')
          },
        }
      }
    }
    await new Costly(post).include('author').serialize()
    await assert.rejects(() => new Costly(post).include('costly').serialize(), 'evaluated')
  })
})

test.group('JsonResource | include', () => {
  test('a dotted name nests and brings its intermediates', async ({ assert }) => {
    const document = await new PostResource(post).include('comments.author').serialize()
    assert.sameMembers(
      document.included!.map(({ type, id }) => `${type} ${id}`),
      ['comments 1', 'comments 2', 'users 1', 'users 2']
    )
    assert.onlyProperties(document.data!.relationships!, ['comments'])
    assert.deepEqual(judge(document), [])
  })

  test('each type and id is there once, and none that is primary data', async ({ assert }) => {
    class NodeResource extends JsonResource<{ id: number; next: any }> {
      static hidden = ['id']

      toRelationships() {
        return { next: NodeResource }
      }
    }
    const a: any = { id: 1 }
    const b: any = { id: 2, next: a }
    a.next = b

    const document = await new NodeResource(a).include('next.next.next').serialize()
    assert.lengthOf(document.included!, 1)
    assert.deepEqual(judge(document), [])

    const both = await NodeResource.collection([a, b]).include('next').serialize()
    assert.deepEqual(both.included, [])
    assert.deepEqual(judge(both), [])
  })

  test('linkage of each place is an object of its own: meta of one is not that of others', async ({
    assert,
  }) => {
    const document: any = await PostResource.collection([post, { ...post, id: 8 }])
      .include('author')
      .serialize()
    const [first, second] = document.data.map(({ relationships }: any) => relationships.author.data)
    assert.deepEqual(first, second)
    assert.notStrictEqual(first, second)
  })

  test('linkage is merged from every path that reaches a resource', async ({ assert }) => {
    class TopicResource extends JsonResource<any> {
      static hidden = ['id']

      toRelationships() {
        return {
          lead: () => new TopicResource(this.resource.lead),
          parts: () => TopicResource.collection(this.resource.parts),
        }
      }
    }
    const leaf = (id: number) => ({ id, lead: null, parts: [] as any[] })
    const shared = { id: 9, lead: leaf(1), parts: [leaf(2)] }
    const root = { id: 0, lead: shared, parts: [{ ...shared, parts: [leaf(2), leaf(3)] }] }

    const document = await new TopicResource(root).include('lead.lead', 'parts.parts').serialize()
    const merged = document.included!.find(({ id }) => id === '9')!
    assert.deepEqual(merged.relationships!.lead!.data, { type: 'topics', id: '1' })
    assert.deepEqual(merged.relationships!.parts!.data, [{ type: 'topics', id: '2' }])
    assert.deepEqual(judge(document), [])
  })

  test('classes that share a type share the resource, and each is asked for its own relationships', async ({
    assert,
  }) => {
    class EditorResource extends UserResource {
      static type = 'users'

      toRelationships() {
        return {
          boss: () => new UserResource(romain),
          friends: () => UserResource.collection([{ id: 5, name: 'Only here' }]),
        }
      }
    }
    class FriendlyResource extends EditorResource {
      toRelationships() {
        return {
          boss: () => new UserResource({ id: 4, name: 'Other' }),
          friends: () => UserResource.collection([romain]),
        }
      }
    }
    class EditedResource extends JsonResource<Post> {
      static type = 'posts'
      static hidden = ['id', 'comments']

      toRelationships() {
        return {
          author: UserResource,
          editor: () => new EditorResource(virk),
          friend: () => new FriendlyResource(virk),
        }
      }
    }
    const document = await new EditedResource(post)
      .include('author', 'editor.boss', 'editor.friends', 'friend.boss', 'friend.friends')
      .serialize()

    assert.deepEqual(judge(document), [])
    assert.deepEqual(document.included!.map(({ id }) => id).sort(), ['1', '2', '5'])
    const { relationships } = document.included!.find(({ id }) => id === '1')!
    assert.deepEqual(relationships, {
      boss: { data: { type: 'users', id: '2' } },
      friends: {
        data: [
          { type: 'users', id: '5' },
          { type: 'users', id: '2' },
        ],
      },
    })
  })

  test('duplicates in a relationship are linked once', async ({ assert }) => {
    const comments = [post.comments![0]!, post.comments![0]!]
    const document = await new PostResource({ ...post, comments }).include('comments').serialize()
    assert.deepEqual(document.data!.relationships!.comments!.data, [{ type: 'comments', id: '1' }])
    assert.deepEqual(judge(document), [])
  })

  test('included is there, possibly empty, when and only when an include was requested', async ({
    assert,
  }) => {
    const empty = await PostResource.collection([]).include('author').serialize()
    assert.deepEqual(empty.included, [])
    const nothing = await new PostResource(post).include().serialize()
    assert.deepEqual(nothing.included, [])
    assert.notProperty(await new PostResource(post).fields('title').serialize(), 'included')
  })

  test('names of includes and fields are texts, one by one: {$self} is refused')
    .with(['a list', 'null', 'a number'])
    .run(({ assert }, kind) => {
      const value: any = { 'a list': ['author'], 'null': null, 'a number': 5 }[kind]
      assert.throws(
        () => new PostResource(post).include(value),
        'include(): "names" must be texts, one by one'
      )
      assert.throws(
        () => new PostResource(post).fields('id', value),
        'fields(): "names" must be texts, one by one'
      )
    })

  test('an unknown path is refused, whatever data there is', async ({ assert }) => {
    class ArticleResource extends JsonResource<Post> {
      toRelationships() {
        return { author: toOne(() => UserResource), comments: toMany(() => CommentResource) }
      }
    }
    const lonely = { id: 8, title: 'Alone', author: null, comments: [] }
    const paths = [
      'nothing',
      'author.nothing',
      'comments.nothing',
      'comments.author.nothing',
      'title',
      'constructor',
      '__proto__',
      'author.constructor',
      'comments.__proto__',
      'toString',
      '',
      '.',
      'author.',
      '.author',
      'author..name',
    ]
    for (const path of paths) {
      for (const source of [
        () => new ArticleResource(post),
        () => new ArticleResource(lonely),
        () => new ArticleResource(null),
        () => ArticleResource.collection([]),
        () => ArticleResource.collection([post, lonely]),
      ]) {
        const error: any = await source()
          .include(path)
          .serialize()
          .then(
            () => assert.fail(`"${path}" was accepted`),
            (reason) => reason
          )
        assert.equal(error.status, 400, path)
        assert.deepEqual(error.source, { parameter: 'include' })
      }
    }
  })

  test('a path deeper than the limit is refused; the limit is a setting', async ({ assert }) => {
    class ChainResource extends JsonResource<any> {
      toRelationships() {
        return { next: () => new ChainResource(null) }
      }
    }
    class ShallowResource extends ChainResource {
      static maxIncludeDepth = 1
    }
    const path = (depth: number) => Array(depth).fill('next').join('.')

    await new ChainResource({ id: 1 }).include(path(5)).serialize()
    for (const depth of [6, 200]) {
      await assert.rejects(
        () => new ChainResource({ id: 1 }).include(path(depth)).serialize(),
        'A relationship path has at most 5 names.'
      )
    }
    await new ShallowResource({ id: 1 }).include('next').serialize()
    await assert.rejects(() => new ShallowResource({ id: 1 }).include('next.next').serialize())
  })

  test('a document includes as many resources as its class allows', async ({ assert }) => {
    class FewResource extends PostResource {
      static type = 'posts'
      static maxIncluded = 1
    }
    const error: any = await new FewResource(post)
      .include('comments')
      .serialize()
      .catch((reason) => reason)
    assert.match(error.message, /too many/)
    assert.deepEqual(error.source, { parameter: 'include' })
    assert.lengthOf((await new FewResource(post).include('author').serialize()).included!, 1)
  })

  test('a document includes 10,000 resources unless its class says otherwise', async ({
    assert,
  }) => {
    const including = (length: number) => {
      const comments = Array.from({ length }, (_, id) => ({ ...post.comments![0]!, id }))
      return new PostResource({ ...post, comments }).include('comments').serialize()
    }
    const { included } = await including(10_000)
    assert.lengthOf(included!, 10_000)
    await assert.rejects(() => including(10_001), /too many/)
  })

  test('the linkage of a relationship names as many resources as its class allows', async ({
    assert,
  }) => {
    class FewResource extends PostResource {
      static type = 'posts'
      static maxIncluded = 1
    }
    const linkage = (name: string) => new FewResource(post).relationship(name).serialize()
    await assert.rejects(() => linkage('comments'), /too many/)
    assert.isNotArray((await linkage('author')).data)
  })

  test('a linkage that is too long blames no parameter, one with a long include does', async ({
    assert,
  }) => {
    class FewResource extends PostResource {
      static type = 'posts'
      static maxIncluded = post.comments!.length
    }
    const refused = (comments: unknown[], ...include: string[]) =>
      new FewResource({ ...post, comments } as Post)
        .relationship('comments')
        .include('comments', ...include)
        .serialize()
        .catch((reason) => reason)
    const long = await refused([...post.comments!, { ...post.comments![0], id: 99 }])
    assert.equal(long.status, 400)
    assert.equal(long.code, 'too_many_resources')
    assert.isUndefined(long.source)
    assert.match(long.message, /"comments" leads to too many resources/)
    const wide = await refused(post.comments!, 'comments.author')
    assert.deepEqual(wide.source, { parameter: 'include' })
  })

  test('a relationship may depend on the model', async ({ assert }) => {
    class GuardedResource extends JsonResource<Post & { open: boolean }> {
      static hidden = ['id', 'author', 'comments']
      static type = 'posts'

      toRelationships() {
        return this.resource.open ? { author: UserResource } : null
      }
    }
    const open = await new GuardedResource({ ...post, open: true }).include('author').serialize()
    assert.lengthOf(open.included!, 1)
    const some = await GuardedResource.collection([
      { ...post, open: false },
      { ...post, id: 8, open: true },
    ])
      .include('author')
      .serialize()
    assert.notProperty(some.data[0], 'relationships')
    assert.lengthOf(some.included!, 1)
    const orphan = { ...post, open: true, author: null as never }
    const nothing = () => new GuardedResource(orphan).include('author.nothing').serialize()
    await assert.rejects(nothing, 'There is no relationship "author.nothing" here.')
    await assert.rejects(() =>
      new GuardedResource({ ...post, open: false }).include('author').serialize()
    )
  })

  test('a relationship that only some models have is known by them', async ({ assert }) => {
    class DraftResource extends JsonResource<Post & { isPublished: boolean }> {
      static hidden = ['id', 'isPublished', 'comments']
      static type = 'posts'

      toRelationships() {
        return this.resource.isPublished ? null : { author: UserResource }
      }
    }
    const draft = { ...post, isPublished: false }
    const { included } = await new DraftResource(draft).include('author').serialize()
    assert.lengthOf(included!, 1)
  })

  test('a path through a plain callable is judged when there is something to judge, and accepted over nothing', async ({
    assert,
  }) => {
    const withComments = PostResource.collection([post])
    const withoutComments = PostResource.collection([{ ...post, comments: [] }])
    for (const source of [withComments, withoutComments]) {
      await assert.rejects(
        () => source.include('comments.nothing').serialize(),
        'There is no relationship "comments.nothing" here.'
      )
    }
    const empty = await PostResource.collection([]).include('comments.nothing').serialize()
    assert.deepEqual(empty, { data: [], included: [] })
    await assert.rejects(() => PostResource.collection([]).include('nothing').serialize())
    for (const path of ['comments.', 'comments.__proto__', 'comments._x', 'comments.a/b']) {
      await assert.rejects(() => PostResource.collection([]).include(path).serialize())
    }
  })

  test('names that depend on the model are judged by the models, and accepted over nothing', async ({
    assert,
  }) => {
    class ReviewResource extends JsonResource<{ id: number; reviewer: User }> {
      toRelationships() {
        return { reviewer: new UserResource(this.resource.reviewer) }
      }
    }
    const document = await ReviewResource.collection([]).include('anything').serialize()
    assert.deepEqual(document.included, [])
    const reviews = [{ id: 1, reviewer: virk }]
    for (const path of ['nothing', 'reviewer.nothing']) {
      await assert.rejects(() => ReviewResource.collection(reviews).include(path).serialize())
    }
  })

  test('a relationship may lead to resources of several classes', async ({ assert }) => {
    class EventResource extends JsonResource<{ id: number; subject: any }> {
      static hidden = ['id']

      toRelationships() {
        return {
          subject: () =>
            'title' in this.resource.subject
              ? new PostResource(this.resource.subject)
              : new UserResource(this.resource.subject),
        }
      }
    }
    const document = await EventResource.collection([
      { id: 1, subject: virk },
      { id: 2, subject: post },
    ])
      .include('subject.author')
      .serialize()
    assert.sameMembers(
      document.included!.map(({ type, id }) => `${type} ${id}`),
      ['users 1', 'posts 7']
    )
    assert.deepEqual(judge(document), [])
  })
})

test.group('JsonResource | fields', () => {
  test('plain names restrict the primary resource, type.field a related type', async ({
    assert,
  }) => {
    const rich = { ...post, author: { ...virk, email: 'virk@example.com' }, body: 'Long' }
    const { data, included } = await new PostResource(rich)
      .include('author')
      .fields('title', 'users.email')
      .serialize()
    assert.deepEqual(data!.attributes, { title: 'Hello' })
    assert.deepEqual(included![0]!.attributes, { email: 'virk@example.com' })
  })

  test('a type without a fieldset shows everything', async ({ assert }) => {
    const { included } = await new PostResource(post).include('author').fields('title').serialize()
    assert.deepEqual(included![0]!.attributes, { name: 'Virk' })
  })

  test('calls add up, and the primary type may be named', async ({ assert }) => {
    const rich: any = { id: 1, title: 'a', body: 'b', extra: 'c' }
    const { data } = await new PostResource(rich).fields('title').fields('posts.body').serialize()
    assert.deepEqual(data!.attributes as object, { title: 'a', body: 'b' })
  })

  test('names that do not exist show nothing, hidden ones stay hidden', async ({ assert }) => {
    const { data } = await new PostResource(post).fields('id', '__proto__', 'nope').serialize()
    assert.deepEqual(data!.attributes as object, {})
  })

  test('linkage of what is included stays, so that clients find it', async ({ assert }) => {
    const document = await new PostResource(post).include('author').fields('title').serialize()
    assert.deepEqual(document.data!.relationships!.author!.data, { type: 'users', id: '1' })
    assert.deepEqual(judge(document), [])
  })
})
