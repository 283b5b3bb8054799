import Factory from '@adonisjs/lucid/factories'

import { UserFactory } from '#database/factories/user_factory'
import Comment from '#models/comment'

/** A comment needs its author and its post: `merge({ userId, postId })`. */
export const CommentFactory = Factory.define(Comment, ({ faker }) => ({
  body: faker.lorem.paragraph(),
}))
  .relation('author', () => UserFactory)
  .build()
