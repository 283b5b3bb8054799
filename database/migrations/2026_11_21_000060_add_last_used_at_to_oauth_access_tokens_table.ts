import { BaseSchema } from '@adonisjs/lucid/schema'

/** When personal access tokens were used last. Other tokens have none. */
export default class extends BaseSchema {
  protected tableName = 'oauth_access_tokens'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.bigInteger('last_used_at').nullable()
    })
  }

  async down() {
    this.schema.alterTable(this.tableName, (table) => {
      table.dropColumn('last_used_at')
    })
  }
}
