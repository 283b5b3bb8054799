import { belongsTo, hasMany } from '@adonisjs/lucid/orm'
import type { BelongsTo, HasMany } from '@adonisjs/lucid/types/relations'

import { PostSchema } from '#database/schema'
import Comment from '#models/comment'
import User from '#models/user'

/** Something that a user wrote. */
export default class Post extends PostSchema {
  @belongsTo(() => User)
  declare author: BelongsTo<typeof User>

  @hasMany(() => Comment)
  declare comments: HasMany<typeof Comment>
}
