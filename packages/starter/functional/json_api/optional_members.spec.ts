import { test } from '@japa/runner'

import { toMany, toOne } from '#kit/json_api/declared_relationships'
import { JsonResource } from '#kit/json_api/json_resource'
import Comment from '#models/comment'
import Post from '#models/post'
import User from '#models/user'
import UserResource from '#resources/user_resource'
import { judge } from '#starter/helpers/json_api_judge'
import { recordStatements } from '#starter/helpers/statements'

class CommentResource extends JsonResource<Comment> {
  static hidden = ['id', 'postId', 'userId']
  static linkage = ['author']

  toRelationships() {
    return { author: toOne(() => UserResource) }
  }
}

class PostResource extends JsonResource<Post> {
  static hidden = ['id', 'userId']
  static route = 'posts.show'
  static relationshipLinks = ['comments']
  static linkage = ['author']

  toRelationships() {
    return { author: toOne(() => UserResource), comments: toMany(() => CommentResource) }
  }

  toResourceMeta() {
    return { words: 3n }
  }

  toRelationshipMeta() {
    return { comments: { count: 2 } }
  }
}

const post = () => new Post().fill({ id: 7, userId: 3, title: 'Hello' })

test.group('Optional members of a resource object', () => {
  test('are links, meta and linkage by the foreign key, without a query', async ({ assert }) => {
    let document: any
    const statements = await recordStatements(async () => {
      document = await PostResource.collection([post()]).serialize()
    })
    assert.deepEqual(statements, [])
    assert.deepEqual(judge(document), [])
    assert.deepEqual(document.data, [
      {
        type: 'posts',
        id: '7',
        attributes: { title: 'Hello' },
        links: { self: '/api/posts/7' },
        meta: { words: '3' },
        relationships: {
          author: { data: { type: 'users', id: '3' } },
          comments: {
            links: {
              self: '/api/posts/7/relationships/comments',
              related: '/api/posts/7/comments',
            },
            meta: { count: 2 },
          },
        },
      },
    ])
  })

  test('join the linkage of what is included, and stand on included resources too', async ({
    assert,
  }) => {
    const row = post()
    row.$setRelated('author', new User().fill({ id: 3, fullName: 'Virk' }))
    row.$setRelated('comments', [new Comment().fill({ id: 9, userId: 4, postId: 7, body: 'x' })])
    const document: any = await new PostResource(row).include('author', 'comments').serialize()
    assert.deepEqual(judge(document), [])
    assert.deepEqual(document.data.relationships.author, { data: { type: 'users', id: '3' } })
    assert.deepEqual(document.data.relationships.comments.data, [{ type: 'comments', id: '9' }])
    assert.property(document.data.relationships.comments, 'links')
    assert.deepEqual(document.included[1].relationships.author.data, { type: 'users', id: '4' })
  })

  test('of relationships follow the fieldset of their type', async ({ assert }) => {
    const fields = async (names: string) => {
      const { data } = await new PostResource(post()).fields(...names.split(',')).serialize()
      return Object.keys(data!.relationships ?? {})
    }
    assert.deepEqual(await fields('title'), [])
    assert.deepEqual(await fields('title,author'), ['author'])
    assert.deepEqual(await fields('comments'), ['comments'])
  })

  test('linkage is that of relationships which depend on the model, too', async ({ assert }) => {
    class DraftResource extends JsonResource<Post> {
      static type = 'posts'
      static hidden = ['id', 'userId']
      static linkage = ['author']

      toRelationships() {
        return this.resource.title ? { author: toOne(() => UserResource) } : null
      }
    }
    const { data } = await new DraftResource(post()).serialize()
    assert.deepEqual(data!.relationships!.author!.data, { type: 'users', id: '3' })
  })

  test('linkage is null for a foreign key that is null, and an error without a key', async ({
    assert,
  }) => {
    const nobody = post().merge({ userId: null as any })
    const { data } = await new PostResource(nobody).serialize()
    assert.isNull(data!.relationships!.author!.data)
    await assert.rejects(
      () => new PostResource(new Post().fill({ id: 1 })).serialize(),
      /The linkage "author" of PostResource needs a relationship to one class/
    )
  })
})
