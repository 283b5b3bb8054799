import { errors } from '@adonisjs/lucid'
import { belongsTo, hasMany } from '@adonisjs/lucid/orm'
import type { BelongsTo, HasMany } from '@adonisjs/lucid/types/relations'

import { PostSchema } from '#database/schema'
import Comment from '#models/comment'
import User from '#models/user'

/** The largest key that an integer column of PostgreSQL holds. */
const MAX_KEY = 2 ** 31 - 1

/** Something that a user wrote. */
export default class Post extends PostSchema {
  @belongsTo(() => User)
  declare author: BelongsTo<typeof User>

  @hasMany(() => Comment)
  declare comments: HasMany<typeof Comment>

  /**
   * Finds the post by the id in a URL. An id that the column cannot hold means
   * "not found"; PostgreSQL would fail the query.
   *
   * @throws {E_ROW_NOT_FOUND} 404
   */
  static async findByParam(id: string): Promise<Post> {
    if (!/^\d{1,10}$/.test(id) || Number(id) > MAX_KEY) {
      throw new errors.E_ROW_NOT_FOUND(this)
    }
    return this.findOrFail(Number(id))
  }
}
