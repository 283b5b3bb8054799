import type { HttpContext } from '@adonisjs/core/http'

import postsConfig from '#config/posts'
import { cursorPaginate, parseCursorPage } from 'adonis-auth-kit/json_api/cursor_pagination'
import { JsonApiError } from 'adonis-auth-kit/json_api/errors'
import { readLinkage } from 'adonis-auth-kit/json_api/request_document'
import Comment from '#models/comment'
import { isKey } from '#models/key'
import Post from '#models/post'
import CommentResource from '#resources/comment_resource'
import PostResource from '#resources/post_resource'
import { mayChange } from '#services/posts'

const COMMENTS = { types: ['comments'], isToMany: true } as const

/** The comments of a post: as resources, and as a relationship. */
export default class PostCommentsController {
  /** A page of comments, the oldest first. */
  async related({ params, request }: HttpContext) {
    const post = await Post.findByParam(params.id)
    const page = parseCursorPage(request.qs(), postsConfig.pageSizes)
    const query = Comment.query().where('post_id', post.id)
    return CommentResource.collection(
      await cursorPaginate(query, [{ column: 'id', order: 'asc' }], page)
    )
  }

  async show({ params }: HttpContext) {
    return new PostResource(await Post.findByParam(params.id)).relationship('comments')
  }

  /** Moves comments of the caller here. Those that are here already stay. */
  async store({ auth, params, request, response }: HttpContext) {
    const post = await Post.findByParam(params.id)
    const ids = readLinkage(request.body(), COMMENTS).map(({ id }) => id)
    const comments = await Comment.findAllByParams(ids)
    const caller = auth.getUserOrFail()
    if (comments.some(({ postId, userId }) => postId !== post.id && userId !== caller.id)) {
      throw notYours()
    }
    await Comment.query()
      .whereIn(
        'id',
        comments.map(({ id }) => id)
      )
      .update({ post_id: post.id })
    return response.noContent()
  }

  /** Deletes comments: the caller's own, and any of the caller's post. Those that are gone stay gone. */
  async destroy({ auth, params, request, response }: HttpContext) {
    const post = await Post.findByParam(params.id)
    const ids = readLinkage(request.body(), COMMENTS).map(({ id }) => id)
    const comments = await Comment.query()
      .where('post_id', post.id)
      .whereIn('id', ids.filter(isKey))
    const caller = auth.getUserOrFail()
    const isForeign = comments.some(({ userId }) => userId !== caller.id)
    if (isForeign && !(await mayChange(caller, post))) {
      throw notYours()
    }
    await Comment.query()
      .whereIn(
        'id',
        comments.map(({ id }) => id)
      )
      .delete()
    return response.noContent()
  }
}

function notYours() {
  return new JsonApiError({
    status: 403,
    detail: 'These are comments of somebody else.',
    source: { pointer: '/data' },
  })
}
