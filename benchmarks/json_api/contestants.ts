/* The ways to make the document. Each gives a function that makes it once, as text. */

import { loop } from './loop.js'
import { byHand, byModels, byResources } from './stored.js'
import { type Comment, type Post, type User, lucidPosts, plainPosts } from './graph.js'

async function resources() {
  const { JsonResource } = await import('#kit/json_api/json_resource')
  const { toMany, toOne } = await import('#kit/json_api/declared_relationships')

  class UserResource extends JsonResource<User> {
    static hidden = [
      'id',
      'email',
      'isActive',
      'createdAt',
      'updatedAt',
      'emailVerifiedAt',
      'language',
    ]
  }
  class CommentResource extends JsonResource<Comment> {
    static hidden = ['id', 'postId', 'userId', 'workspaceId', 'updatedAt']

    toRelationships() {
      return { author: toOne(UserResource) }
    }
  }
  class PostResource extends JsonResource<Post> {
    static hidden = ['id', 'userId', 'workspaceId', 'updatedAt']

    toRelationships() {
      return { author: toOne(UserResource), comments: toMany(CommentResource) }
    }
  }
  return (posts: any[]) => async () =>
    JSON.stringify(
      await PostResource.collection(posts).include('author', 'comments.author').serialize()
    )
}

async function jsonApiSerializer(posts: Post[]) {
  const { default: Serializer } = await import('json-api-serializer')
  const serializer = new Serializer()
  serializer.register('users', { id: 'id' })
  serializer.register('comments', { id: 'id', relationships: { author: { type: 'users' } } })
  serializer.register('posts', {
    id: 'id',
    relationships: { author: { type: 'users' }, comments: { type: 'comments' } },
  })
  return () => JSON.stringify(serializer.serialize('posts', posts))
}

async function tsJapi(posts: Post[]) {
  const { Relator, Serializer } = await import('ts-japi')
  const users = new Serializer<User>('users', { projection: { fullName: 1 } })
  const comments = new Serializer<Comment>('comments', {
    projection: { body: 1, createdAt: 1 },
    relators: [
      new Relator(async ({ author }: Comment) => author, users, { relatedName: 'author' }),
    ],
  })
  const serializer = new Serializer<Post>('posts', {
    projection: { title: 1, body: 1, createdAt: 1 },
    include: 2,
    relators: [
      new Relator(async ({ author }: Post) => author, users, { relatedName: 'author' }),
      new Relator(async (post: Post) => post.comments, comments, { relatedName: 'comments' }),
    ],
  })
  return async () => JSON.stringify(await serializer.serialize(posts))
}

/** AdonisJS's own: nested objects rather than a JSON:API document. */
async function transformers(posts: any[]) {
  const { BaseTransformer } = await import('@adonisjs/core/transformers')
  const { serialize } = await adonisSerializer()

  class UserTransformer extends BaseTransformer<any> {
    toObject() {
      return this.pick(this.resource, ['id', 'fullName'])
    }
  }
  class CommentTransformer extends BaseTransformer<any> {
    toObject() {
      return {
        ...this.pick(this.resource, ['id', 'body', 'createdAt']),
        author: UserTransformer.transform(this.resource.author),
      }
    }
  }
  class PostTransformer extends BaseTransformer<any> {
    toObject() {
      return {
        ...this.pick(this.resource, ['id', 'title', 'body', 'createdAt']),
        author: UserTransformer.transform(this.resource.author),
        comments: CommentTransformer.transform(this.resource.comments)?.depth(3),
      }
    }
  }
  return async () => JSON.stringify(await serialize(PostTransformer.transform(posts).depth(4)))
}

async function adonisSerializer() {
  const { BaseSerializer } = await import('@adonisjs/core/transformers')
  class Serializer extends BaseSerializer {
    wrap = 'data'
    definePaginationMetaData(meta: unknown) {
      return meta as never
    }
  }
  const serializer = new Serializer()
  return { serialize: (value: never) => serializer.serialize(value) } as {
    serialize(value: unknown): Promise<unknown>
  }
}

const same = (value: string) => value
const toIso = (value: { toISO(): string }) => value.toISO()

export const CONTESTANTS: Record<string, () => Promise<() => unknown>> = {
  'plain: loop by hand': async () => {
    const posts = plainPosts()
    return () => loop(posts, same)
  },
  'plain: JsonResource': async () => {
    const make = await resources()
    return make(plainPosts())
  },
  'plain: json-api-serializer': () => jsonApiSerializer(plainPosts()),
  'plain: ts-japi': () => tsJapi(plainPosts()),
  'plain: transformers': () => transformers(plainPosts()),
  'lucid: loop by hand': async () => {
    const posts = await lucidPosts()
    return () => loop(posts, toIso)
  },
  'lucid: JsonResource': async () => {
    const make = await resources()
    return make(await lucidPosts())
  },
  'read: loop by hand': byHand,
  'read: JsonResource': async () => byResources(await resources()),
  'read: Lucid, loop by hand': byModels,
  'lucid: transformers': async () => transformers(await lucidPosts()),
}
