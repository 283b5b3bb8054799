import type { HttpContext } from '@adonisjs/core/http'
import { urlFor } from '@adonisjs/core/services/url_builder'

import Post from '#models/post'

const POSTS_PER_PAGE = 10

/** The posts as pages. Programs read them at /api/posts. */
export default class PostPagesController {
  async index({ request, response, view }: HttpContext) {
    const posts = await Post.query()
      .preload('author')
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .paginate(pageNumber(request.qs().page), POSTS_PER_PAGE)
    if (posts.isEmpty && posts.hasTotal) {
      return response.redirect().toRoute('post_pages.index', [], { qs: { page: posts.lastPage } })
    }
    return view.render('pages/posts/index', { posts: posts.baseUrl(urlFor('post_pages.index')) })
  }

  async show({ params, view }: HttpContext) {
    const post = await Post.findByParam(params.id)
    await post.load('author')
    await post.load('comments', (comments) => {
      void comments.preload('author').orderBy('id')
    })
    return view.render('pages/posts/show', { post })
  }
}

/** The first page for anything that is no number of a page. */
function pageNumber(value: unknown): number {
  return typeof value === 'string' && /^[1-9]\d{0,5}$/.test(value) ? Number(value) : 1
}
