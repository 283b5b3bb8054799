import { compose } from '@adonisjs/core/helpers'
import { errors } from '@adonisjs/lucid'
import { belongsTo } from '@adonisjs/lucid/orm'
import type { ModelAdapterOptions } from '@adonisjs/lucid/types/model'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'

import { CommentSchema } from '#database/schema'
import { FoundByParam, isKey } from 'adonis-auth-kit/database'
import Post from '#models/post'
import User from '#models/user'
import { BelongsToWorkspace } from 'adonis-auth-kit/workspaces'

/** What a user said about a post. */
export default class Comment extends compose(
  CommentSchema,
  FoundByParam,
  // feature: workspaces
  BelongsToWorkspace
  // /feature
) {
  @belongsTo(() => User)
  declare author: BelongsTo<typeof User>

  @belongsTo(() => Post)
  declare post: BelongsTo<typeof Post>

  /**
   * The comments with ids of a request, each once.
   *
   * @throws {E_ROW_NOT_FOUND} 404 when one is not there
   */
  static async findAllByParams(ids: string[], options?: ModelAdapterOptions): Promise<Comment[]> {
    const keys = new Set(ids)
    const comments = await this.query(options).whereIn('id', [...keys].filter(isKey))
    if (comments.length !== keys.size) {
      throw new errors.E_ROW_NOT_FOUND(this)
    }
    return comments
  }
}
