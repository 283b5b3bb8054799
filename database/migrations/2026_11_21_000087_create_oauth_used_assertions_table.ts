import { BaseSchema } from '@adonisjs/lucid/schema'

/** Assertions that clients have authenticated with: each works once. */
export default class extends BaseSchema {
  protected tableName = 'oauth_used_assertions'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('digest', 64).primary().comment('SHA-256 of the client and the jti')
      table.bigInteger('expires_at').notNullable().index().comment('epoch milliseconds')
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
