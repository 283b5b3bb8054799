import { errors } from '@adonisjs/lucid'
import { belongsTo, hasMany } from '@adonisjs/lucid/orm'
import type { BelongsTo, HasMany } from '@adonisjs/lucid/types/relations'

import { PostSchema } from '#database/schema'
import { JsonApiError } from 'adonis-auth-kit/json_api/errors'
import Comment from '#models/comment'
import { isKey } from '#models/key'
import User from '#models/user'

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
    if (!isKey(id)) {
      throw new errors.E_ROW_NOT_FOUND(this)
    }
    return this.findOrFail(Number(id))
  }

  /** @throws {JsonApiError} 403 unless the user wrote the post */
  assertOwnedBy(user: User) {
    if (this.userId !== user.id) {
      throw new JsonApiError({ status: 403, detail: 'This post is somebody else’s.' })
    }
  }
}
