import { App } from 'adonis-auth-kit/mcp'

/** What clients show with the result of `my_posts`: the posts, and a form for the next one. */
export default class MyPostsCard extends App {
  static override uri = 'ui://blog/my-posts'
  static override name = 'my_posts_card'
  static override title = 'My posts'
  static override description = 'The posts of the user, with buttons to publish and to delete one.'
  static override view = 'mcp/my_posts_card'
  static override prefersBorder = true
}
