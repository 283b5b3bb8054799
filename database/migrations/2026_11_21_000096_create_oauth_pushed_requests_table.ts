import { BaseSchema } from '@adonisjs/lucid/schema'

/** Authorization requests that clients have pushed (RFC 9126). */
export default class extends BaseSchema {
  protected tableName = 'oauth_pushed_requests'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('uri_hash', 64).primary().comment('SHA-256 of the request_uri')
      table.string('client_id').notNullable()
      table.text('parameters').notNullable().comment('JSON object: what the client sent')
      table.bigInteger('created_at').notNullable().comment('epoch milliseconds, as that below')
      table.bigInteger('expires_at').notNullable().index()
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
