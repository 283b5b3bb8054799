import type { HttpContext } from '@adonisjs/core/http'
import { urlFor } from '@adonisjs/core/services/url_builder'
import db from '@adonisjs/lucid/services/db'

import postsConfig from '#config/posts'
import { parsePage } from '#json_api/pagination'
import { assertNewResource } from '#json_api/request_document'
import { parseSort } from '#json_api/sort'
import Post from '#models/post'
import PostResource from '#resources/post_resource'
import { createPostValidator } from '#validators/post'

/** What posts can be sorted by, and the columns behind it. */
const SORTABLE = { title: 'title', createdAt: 'created_at' }

export default class PostsController {
  /** A page of posts: the newest first, unless `sort` says otherwise. */
  async index({ request }: HttpContext) {
    const { page, perPage } = parsePage(request.qs(), postsConfig.pageSizes)
    const sort = parseSort(request.qs(), SORTABLE)

    const posts = await Post.query()
      .orderBy(sort.length > 0 ? sort : [{ column: 'created_at', order: 'desc' }])
      .orderBy('id', 'desc')
      .paginate(page, perPage)
    return PostResource.collection(posts)
  }

  async show({ params }: HttpContext) {
    return new PostResource(await Post.findByParam(params.id))
  }

  /** Writes a post in the name of the caller. */
  async store({ auth, request, response }: HttpContext) {
    assertNewResource(request.body(), 'posts')
    const { data } = await request.validateUsing(createPostValidator)
    const userId = auth.getUserOrFail().id

    /* The document is made inside the transaction: when that fails, nothing was written. */
    const { post, document } = await db.transaction(async (client) => {
      const created = await Post.create({ ...data.attributes, userId }, { client })
      const resource = new PostResource(created)
      return { post: created, document: await resource.forRequest(request).serialize() }
    })

    response.header('Location', urlFor('posts.show', { id: post.id }))
    return response.created(document)
  }
}
