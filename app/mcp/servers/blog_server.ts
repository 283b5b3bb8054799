import SummarizePost from '#mcp/prompts/summarize_post'
import LatestPosts from '#mcp/resources/latest_posts'
import PostResource from '#mcp/resources/post'
import { Server } from '#mcp/server'
import CountWords from '#mcp/tools/count_words'
import ReadPost from '#mcp/tools/read_post'
import SearchPosts from '#mcp/tools/search_posts'

/** Gives AI clients access to the posts of this application. */
export default class BlogServer extends Server {
  static override name = 'blog'
  static override title = 'Blog'
  static override description = 'Search and read the posts of this application.'
  static override instructions =
    'Find posts with search_posts and read them with read_post. The resource blog://posts/latest has the newest.'

  static override tools() {
    return [SearchPosts, ReadPost, CountWords]
  }

  static override prompts() {
    return [SummarizePost]
  }

  static override resources() {
    return [LatestPosts, PostResource]
  }
}
