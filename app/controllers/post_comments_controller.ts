import type { HttpContext } from '@adonisjs/core/http'

import postsConfig from '#config/posts'
import { cursorPaginate, parseCursorPage, writing } from 'adonis-auth-kit/json_api'
import Comment from '#models/comment'
import Post from '#models/post'
import CommentResource from '#resources/comment_resource'
import PostResource from '#resources/post_resource'
import { postWrites } from '#services/post_writes'

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
  async store(ctx: HttpContext) {
    await writing(ctx, postWrites, (posts, body) =>
      posts.relate(ctx.params.id, 'comments', 'add', body)
    )
    return ctx.response.noContent()
  }

  /** Deletes comments: the caller's own, and any of the caller's post. Those that are gone stay gone. */
  async destroy(ctx: HttpContext) {
    await writing(ctx, postWrites, (posts, body) =>
      posts.relate(ctx.params.id, 'comments', 'remove', body)
    )
    return ctx.response.noContent()
  }
}
