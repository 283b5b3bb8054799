import { BaseSeeder } from '@adonisjs/lucid/seeders'

import { CommentFactory } from '#database/factories/comment_factory'
import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'

const USERS = 5
const POSTS = 60
const COMMENTS_PER_POST = 3

/** Enough posts to page through, by a few users who comment on each other's. */
export default class PostSeeder extends BaseSeeder {
  static environment = ['development', 'test']

  async run() {
    const users = await UserFactory.client(this.client).createMany(USERS)
    const idOf = (index: number) => users[index % USERS]!.id

    const posts = await PostFactory.client(this.client)
      .merge(Array.from({ length: POSTS }, (_, index) => ({ userId: idOf(index) })))
      .createMany(POSTS)

    const comments = posts.flatMap((post, index) =>
      Array.from({ length: COMMENTS_PER_POST }, (_, n) => ({
        postId: post.id,
        userId: idOf(index + n + 1),
      }))
    )
    await CommentFactory.client(this.client).merge(comments).createMany(comments.length)
  }
}
