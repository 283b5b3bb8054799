import vine from '@vinejs/vine'

import { findPost, markdownOf } from '#services/posts'
import { type Arguments, Response, Tool } from 'adonis-auth-kit/mcp'

export default class ReadPost extends Tool<typeof ReadPost> {
  static override name = 'read_post'
  static override title = 'Read a post'
  static override description =
    'Returns the whole text of a blog post, by the id from search_posts.'
  static override annotations = { readOnlyHint: true, openWorldHint: false }

  static override schema() {
    return vine.create({ id: vine.number().withoutDecimals().positive() })
  }

  async handle({ id }: Arguments<typeof ReadPost>) {
    const post = await findPost(id)
    if (!post) {
      return Response.error(`There is no post ${id}. Call search_posts to find ids.`)
    }
    return Response.of(
      Response.text(markdownOf(post)),
      Response.link({ uri: `blog://posts/${id}`, name: post.title, mimeType: 'text/markdown' })
    )
  }
}
