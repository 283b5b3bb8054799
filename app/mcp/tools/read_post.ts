import vine from '@vinejs/vine'
import type { Infer } from '@vinejs/vine/types'

import { findPost, markdownOf } from '#services/posts'
import { Response } from '#mcp/response'
import { Tool } from '#mcp/tool'

const input = vine.create({ id: vine.number().withoutDecimals().positive() })

export default class ReadPost extends Tool {
  static override name = 'read_post'
  static override title = 'Read a post'
  static override description = 'Gives the whole text of a blog post, by the id from search_posts.'
  static override annotations = { readOnlyHint: true, openWorldHint: false }

  static override schema() {
    return input
  }

  async handle({ id }: Infer<typeof input>) {
    const post = await findPost(id)
    if (!post) {
      return Response.error(`There is no post ${id}. search_posts gives the ids there are.`)
    }
    return Response.of(
      Response.text(markdownOf(post)),
      Response.link({ uri: `blog://posts/${id}`, name: post.title, mimeType: 'text/markdown' })
    )
  }
}
