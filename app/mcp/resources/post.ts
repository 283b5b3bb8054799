import { findPost, markdownOf, suggestIds } from '#services/posts'
import { Resource } from 'adonis-auth-kit/mcp'

export default class PostResource extends Resource {
  static override uri = 'blog://posts/{id}'
  static override name = 'post'
  static override title = 'Post'
  static override description = 'A post as Markdown.'
  static override mimeType = 'text/markdown'

  async read({ id }: { id: string }) {
    const post = await findPost(id)
    return post && markdownOf(post)
  }

  override complete(_argument: string, value: string) {
    return suggestIds(value)
  }
}
