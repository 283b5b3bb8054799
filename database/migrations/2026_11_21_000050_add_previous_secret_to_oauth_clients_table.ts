import { BaseSchema } from '@adonisjs/lucid/schema'

/** The secret from before a rotation, which goes on working for a while. */
export default class extends BaseSchema {
  protected tableName = 'oauth_clients'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.string('previous_secret_hash', 64).nullable().comment('SHA-256')
      table.bigInteger('previous_secret_expires_at').nullable().comment('epoch milliseconds')
    })
  }

  async down() {
    this.schema.alterTable(this.tableName, (table) => {
      table.dropColumns('previous_secret_hash', 'previous_secret_expires_at')
    })
  }
}
