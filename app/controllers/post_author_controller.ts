import type { HttpContext } from '@adonisjs/core/http'

import Post from '#models/post'
import PostResource from '#resources/post_resource'
import UserResource from '#resources/user_resource'

/** The author of a post: as a resource, and as a relationship that never changes. */
export default class PostAuthorController {
  async related({ params }: HttpContext) {
    const post = await Post.findByParam(params.id)
    await post.load('author')
    return new UserResource(post.author)
  }

  async show({ params }: HttpContext) {
    return new PostResource(await Post.findByParam(params.id)).relationship('author')
  }
}
