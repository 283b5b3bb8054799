import type { HttpContext } from '@adonisjs/core/http'
import { urlFor } from '@adonisjs/core/services/url_builder'
import vine from '@vinejs/vine'

import postsConfig from '#config/posts'
import {
  applyFilter,
  cursorPaginate,
  type FilterRule,
  isObject,
  parseCursorPage,
  parseFilter,
  parsePage,
  parseSort,
  selectFields,
  type SortCriterion,
  UNSUPPORTED_SORT,
  writing,
} from 'adonis-auth-kit/json_api'
import { MAX_KEY } from 'adonis-auth-kit/database'
import Post from '#models/post'
import PostResource from '#resources/post_resource'
import { postWrites } from '#services/post_writes'

/** What pages behind a cursor can be sorted by, and the columns behind it: they are never null. */
const CURSOR_SORTABLE = { title: 'posts.title', createdAt: 'posts.created_at' }

/** What counted pages can be sorted by; the query joins the author, whose name may be null. */
const SORTABLE = { ...CURSOR_SORTABLE, author: 'users.full_name' }

/** What posts can be filtered by. */
const FILTERS: Record<string, FilterRule> = {
  author: {
    column: 'posts.user_id',
    value: vine.number().positive().withoutDecimals().max(MAX_KEY),
    operators: ['eq', 'in'],
  },
}

const NEWEST_FIRST: SortCriterion = { column: 'posts.created_at', order: 'desc' }

export default class PostsController {
  /**
   * A page of posts: the newest first, unless `sort` says otherwise. Pages are
   * counted, unless `page[after]` or `page[before]` asks for one at a cursor.
   */
  async index({ request }: HttpContext) {
    const { page: asked } = request.qs()
    const isCursor = isObject(asked) && ('after' in asked || 'before' in asked)
    const sort = isCursor
      ? parseSort(request.qs(), CURSOR_SORTABLE, UNSUPPORTED_SORT)
      : parseSort(request.qs(), SORTABLE)
    const filter = await parseFilter(request.qs(), FILTERS)
    const query = applyFilter(Post.query(), filter)
    void selectFields(query, PostResource, request.qs())
    const order: SortCriterion[] = [
      ...(sort.length > 0 ? sort : [NEWEST_FIRST]),
      { column: 'posts.id', order: 'desc' },
    ]

    if (isCursor) {
      const cursor = parseCursorPage(request.qs(), postsConfig.pageSizes)
      return PostResource.collection(await cursorPaginate(query, order, cursor))
    }
    const { page, perPage } = parsePage(request.qs(), postsConfig.pageSizes)
    if (sort.some(({ column }) => column === SORTABLE.author)) {
      void query.join('users', 'users.id', 'posts.user_id')
    }
    return PostResource.collection(await query.orderBy(order).paginate(page, perPage))
  }

  async show({ params }: HttpContext) {
    return new PostResource(await Post.findByParam(params.id))
  }

  /** Writes a post in the name of the caller. */
  async store(ctx: HttpContext) {
    const post = await writing(ctx, postWrites, (posts, body) => posts.create(body))
    ctx.response.header('Location', urlFor('posts.show', { id: post.id }))
    return ctx.response.created(new PostResource(post))
  }

  /** Changes a post of the caller. */
  async update(ctx: HttpContext) {
    const { id } = ctx.params
    return new PostResource(await writing(ctx, postWrites, (posts, body) => posts.update(id, body)))
  }

  /** Deletes a post of the caller, with its comments. */
  async destroy(ctx: HttpContext) {
    await writing(ctx, postWrites, (posts) => posts.remove(ctx.params.id))
    return ctx.response.noContent()
  }
}
