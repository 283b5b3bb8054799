import { compose } from '@adonisjs/core/helpers'
import { afterDelete, afterSave, belongsTo, hasMany } from '@adonisjs/lucid/orm'
import type { BelongsTo, HasMany } from '@adonisjs/lucid/types/relations'

import { PostSchema } from '#database/schema'
import Comment from '#models/comment'
import { FoundByParam } from 'adonis-auth-kit/database'
import User from '#models/user'
import { resourceUpdated } from 'adonis-auth-kit/mcp'
import { BelongsToWorkspace } from 'adonis-auth-kit/workspaces'

/** Something that a user wrote. */
export default class Post extends compose(
  PostSchema,
  FoundByParam,
  // feature: workspaces
  BelongsToWorkspace
  // /feature
) {
  @belongsTo(() => User)
  declare author: BelongsTo<typeof User>

  @hasMany(() => Comment)
  declare comments: HasMany<typeof Comment>

  // feature: mcp
  /** AI clients that have subscribed read the newest posts again. */
  @afterSave()
  @afterDelete()
  static async tellClients(post: Post) {
    await resourceUpdated(
      'blog://posts/latest',
      post.$trx,
      // feature: workspaces
      post.workspaceId
      // /feature
    )
  }
  // /feature
}
