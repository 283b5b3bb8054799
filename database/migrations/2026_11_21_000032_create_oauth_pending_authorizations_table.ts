import { BaseSchema } from '@adonisjs/lucid/schema'

/** Authorization requests that wait for a person's decision. */
export default class extends BaseSchema {
  protected tableName = 'oauth_pending_authorizations'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('handle_hash', 64).primary().comment('SHA-256 of the handle')
      table.string('user_id').notNullable()
      table.string('provider').notNullable().comment('user provider that user_id belongs to')
      table.string('session_hash', 64).nullable().comment('SHA-256 of the session id')
      table.text('parameters').notNullable().comment('JSON object: what the client sent')
      table.bigInteger('created_at').notNullable().comment('epoch milliseconds, as that below')
      table.bigInteger('expires_at').notNullable().index()
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
