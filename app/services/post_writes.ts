import Comment from '#models/comment'
import { isKey } from 'adonis-auth-kit/database'
import Post from '#models/post'
import CommentResource from '#resources/comment_resource'
import PostResource from '#resources/post_resource'
import { defineWrites, JsonApiError, validated, type Write } from 'adonis-auth-kit/json_api'
import { assertMayChange, mayChange, writePost } from '#services/posts'
import { createCommentValidator, createPostValidator, updatePostValidator } from '#validators/post'

/*
| How posts and comments are written: by their own routes, and by atomic operations. A caller writes in
| their own name, and changes what they wrote.
*/

const COMMENTS = { types: ['comments'], isToMany: true } as const

/** The post of an id in a request. @throws {E_ROW_NOT_FOUND} 404 */
async function findPost(id: string, { trx }: Write): Promise<Post> {
  return Post.findByParam(id, { client: trx })
}

const idsOf = (comments: Comment[]) => comments.map(({ id }) => id)

export const postWrites = defineWrites<Post>({
  resource: () => PostResource,
  find: findPost,
  authorize: (post, { user }) => assertMayChange(user, post),

  create: validated(createPostValidator, async ({ attributes, user, trx }) => {
    const post = await writePost(user, attributes, { client: trx })
    /* As the database keeps it: SQLite has no milliseconds. */
    return post.refresh()
  }),

  update: validated(updatePostValidator, async ({ attributes, model }) => {
    await model.merge(attributes).save()
    return model.refresh()
  }),

  /** Deletes a post with its comments. */
  async remove(post) {
    await post.delete()
  },

  relationships: {
    comments: {
      ...COMMENTS,

      /** Moves comments of the caller here. Those that are here already stay. */
      async add({ model: post, identifiers, user, trx }) {
        const ids = identifiers.map(({ id }) => id)
        const comments = await Comment.findAllByParams(ids, { client: trx })
        if (comments.some(({ postId, userId }) => postId !== post.id && userId !== user.id)) {
          throw notYours()
        }
        await Comment.query({ client: trx })
          .whereIn('id', idsOf(comments))
          .update({ post_id: post.id })
      },

      /** Deletes comments: the caller's own, and any of the caller's post. Those that are gone stay gone. */
      async remove({ model: post, identifiers, user, trx }) {
        const ids = identifiers.map(({ id }) => id).filter(isKey)
        const comments = await Comment.query({ client: trx })
          .where('post_id', post.id)
          .whereIn('id', ids)
        const isForeign = comments.some(({ userId }) => userId !== user.id)
        if (isForeign && !(await mayChange(user, post))) {
          throw notYours()
        }
        await Comment.query({ client: trx }).whereIn('id', idsOf(comments)).delete()
      },
    },
  },
})

export const commentWrites = defineWrites<Comment>({
  resource: () => CommentResource,

  find: (id, { trx }) => Comment.findByParam(id, { client: trx }),

  /** A comment is its author's, and that of the author of the post. */
  async authorize(comment, { user, trx }) {
    const post = await Post.findOrFail(comment.postId, { client: trx })
    if (comment.userId !== user.id && !(await mayChange(user, post))) {
      throw notYours()
    }
  },

  create: validated(
    createCommentValidator,
    async ({ attributes, relationships: { post }, user, trx }) => {
      const [identifier] = [post ?? []].flat()
      if (!identifier) {
        throw new JsonApiError({
          status: 422,
          detail: 'A comment names its post.',
          source: { pointer: '/data' },
        })
      }
      const { id: postId } = await findPost(identifier.id, { user, trx })
      const comment = await Comment.create(
        { ...attributes, postId, userId: user.id },
        { client: trx }
      )
      return comment.refresh()
    }
  ),

  async remove(comment) {
    await comment.delete()
  },

  relationships: { post: { types: ['posts'], isToMany: false, set: ['create'] } },
})

function notYours() {
  return new JsonApiError({
    status: 403,
    detail: 'These are comments of somebody else.',
    source: { pointer: '/data' },
  })
}
