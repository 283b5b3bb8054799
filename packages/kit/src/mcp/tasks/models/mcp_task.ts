import { column } from '@adonisjs/lucid/orm'

import { McpTaskSchema } from '#database/schema'

/** A row of the database task store. Its id is the hash of the task id; instants are epoch milliseconds. */
export default class McpTask extends McpTaskSchema {
  /** JSON: the arguments, answers and result of the call. */
  @column({ serializeAs: null })
  declare data: string
}
