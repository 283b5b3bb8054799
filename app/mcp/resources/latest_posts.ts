import { newestPosts, summaryOf } from '#services/posts'
import { Resource } from 'adonis-auth-kit/mcp'

export default class LatestPosts extends Resource {
  static override uri = 'blog://posts/latest'
  static override name = 'latest_posts'
  static override title = 'Latest posts'
  static override description = 'The ten newest posts, with excerpts.'
  static override mimeType = 'application/json'
  static override subscribable = true

  async read() {
    const posts = await newestPosts(10)
    return JSON.stringify(posts.map(summaryOf))
  }
}
