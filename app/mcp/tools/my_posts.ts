import { inject } from '@adonisjs/core'
import { HttpContext } from '@adonisjs/core/http'
import vine from '@vinejs/vine'

import { type Arguments, Response, Tool } from 'adonis-auth-kit/mcp'
import MyPostsCard from '#mcp/apps/my_posts_card'
import { postsOf } from '#services/posts'

const DEFAULT_LIMIT = 10

@inject()
export default class MyPosts extends Tool<typeof MyPosts> {
  static override name = 'my_posts'
  static override title = 'My posts'
  static override description = 'Lists the newest posts that the user wrote.'
  static override annotations = { readOnlyHint: true, openWorldHint: false }
  static override scopes = ['posts:read'] as const
  static override app = MyPostsCard

  static override schema() {
    return vine.create({ limit: vine.number().withoutDecimals().min(1).max(50).optional() })
  }

  static override outputSchema() {
    return {
      type: 'object',
      properties: {
        posts: {
          type: 'array',
          items: {
            type: 'object',
            properties: { id: { type: 'integer' }, title: { type: 'string' } },
            required: ['id', 'title'],
          },
        },
      },
      required: ['posts'],
    } as const
  }

  constructor(protected ctx: HttpContext) {
    super()
  }

  async handle({ limit }: Arguments<typeof MyPosts>) {
    const user = this.ctx.auth.getUserOrFail()
    const posts = await postsOf(user.id, limit ?? DEFAULT_LIMIT)
    return Response.structure({ posts: posts.map(({ id, title }) => ({ id, title })) })
  }
}
