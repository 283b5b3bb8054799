import { BaseSchema } from '@adonisjs/lucid/schema'

const INDEX = 'oauth_refresh_tokens_replayable_until_index'

/**
 * The answer to the last rotation, sealed with the token that was rotated, for the client
 * that did not get it.
 */
export default class extends BaseSchema {
  protected tableName = 'oauth_refresh_tokens'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.text('sealed_successor').nullable().comment('encrypted with the rotated token')
      table.bigInteger('replayable_until').nullable()
    })
    /* Most rows have none, and every token that is issued writes all indexes. */
    this.schema.raw(
      `CREATE INDEX ${INDEX} ON ${this.tableName} (replayable_until) WHERE replayable_until IS NOT NULL`
    )
  }

  async down() {
    this.schema.raw(`DROP INDEX ${INDEX}`)
    this.schema.alterTable(this.tableName, (table) => {
      table.dropColumns('sealed_successor', 'replayable_until')
    })
  }
}
