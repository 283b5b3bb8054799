import { belongsTo } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'

import { CommentSchema } from '#database/schema'
import Post from '#models/post'
import User from '#models/user'

/** What a user said about a post. */
export default class Comment extends CommentSchema {
  @belongsTo(() => User)
  declare author: BelongsTo<typeof User>

  @belongsTo(() => Post)
  declare post: BelongsTo<typeof Post>
}
