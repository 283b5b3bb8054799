import { appName } from '#config/app'
import SummarizePost from '#mcp/prompts/summarize_post'
import LatestPosts from '#mcp/resources/latest_posts'
import PostResource from '#mcp/resources/post'
import { Server } from 'adonis-auth-kit/mcp'
import CountWords from '#mcp/tools/count_words'
import CreatePost from '#mcp/tools/create_post'
import DeletePost from '#mcp/tools/delete_post'
import MyPosts from '#mcp/tools/my_posts'
import ReadPost from '#mcp/tools/read_post'
import SearchPosts from '#mcp/tools/search_posts'
import UpdatePost from '#mcp/tools/update_post'

/** Gives AI clients access to the posts of this application. */
export default class BlogServer extends Server {
  static override name = 'blog'
  static override title = appName
  static override description = 'Search, read and write the posts of this application.'
  static override instructions =
    'Find posts with search_posts and read them with read_post. The resource blog://posts/latest has the newest. my_posts, create_post and update_post work for a user who has signed in.'

  static override tools() {
    return [SearchPosts, ReadPost, CountWords, MyPosts, CreatePost, UpdatePost, DeletePost]
  }

  static override prompts() {
    return [SummarizePost]
  }

  static override resources() {
    return [LatestPosts, PostResource]
  }
}
