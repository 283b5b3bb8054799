import vine from '@vinejs/vine'

import { newestPosts, summaryOf } from '#services/posts'
import { type Arguments, Response, Tool } from 'adonis-auth-kit/mcp'
import { STORABLE_TEXT } from 'adonis-auth-kit/database'

const DEFAULT_LIMIT = 10

export default class SearchPosts extends Tool<typeof SearchPosts> {
  static override name = 'search_posts'
  static override title = 'Search posts'
  static override description =
    'Finds the newest blog posts whose title or body contains the query, whatever the case. Gives excerpts; read_post has the whole text.'

  static override annotations = { readOnlyHint: true, openWorldHint: false }

  static override schema() {
    return vine.create({
      query: vine.string().trim().minLength(1).maxLength(200).regex(STORABLE_TEXT),
      limit: vine.number().withoutDecimals().min(1).max(50).optional(),
    })
  }

  static override outputSchema() {
    return {
      type: 'object',
      properties: {
        posts: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              id: { type: 'integer' },
              title: { type: 'string' },
              author: { type: ['string', 'null'] },
              createdAt: { type: 'string', format: 'date-time' },
              excerpt: { type: 'string' },
            },
            required: ['id', 'title', 'author', 'createdAt', 'excerpt'],
          },
        },
      },
      required: ['posts'],
    } as const
  }

  async handle({ query, limit }: Arguments<typeof SearchPosts>) {
    const posts = await newestPosts(limit ?? DEFAULT_LIMIT, query)
    return Response.structure({ posts: posts.map(summaryOf) })
  }
}
