import { BaseSchema } from '@adonisjs/lucid/schema'

/** Devices that wait for a person's decision. */
export default class extends BaseSchema {
  protected tableName = 'oauth_device_authorizations'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('device_code_hash', 64).primary().comment('SHA-256 of the device code')
      table.string('user_code_hash', 64).notNullable().unique().comment('SHA-256 of the user code')
      table.string('client_id').notNullable()
      table.text('scopes').notNullable().comment('JSON list')
      table.text('resource').nullable()
      table.string('ip_address', 45).nullable().comment('of the device')
      table.string('user_agent', 255).nullable().comment('of the device')
      table.integer('poll_interval').notNullable().comment('seconds between two polls')
      table.bigInteger('polled_at').nullable().comment('epoch milliseconds, as those below')
      table.string('decision', 10).nullable().comment('approved or denied; null while it waits')
      table.string('code_hash', 64).nullable().comment('code that the approval made')
      table.bigInteger('created_at').notNullable()
      table.bigInteger('expires_at').notNullable().index()
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
