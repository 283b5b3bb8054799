import Factory from '@adonisjs/lucid/factories'

import { CommentFactory } from '#database/factories/comment_factory'
import { UserFactory } from '#database/factories/user_factory'
import Post from '#models/post'

/** A post needs its author: `PostFactory.with('author').create()`, or `merge({ userId })`. */
export const PostFactory = Factory.define(Post, ({ faker }) => ({
  title: faker.lorem.sentence(),
  body: faker.lorem.paragraphs(3),
}))
  .relation('author', () => UserFactory)
  .relation('comments', () => CommentFactory)
  .build()
