import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'oauth_clients'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('id', 64).primary()
      table.string('name').notNullable()
      table.string('secret_hash', 64).nullable().comment('SHA-256; null for a public client')
      table.text('redirect_uris').notNullable().comment('JSON list')
      table.text('grant_types').notNullable().comment('JSON list; empty allows every grant')
      table.text('scopes').notNullable().comment('JSON list; empty allows the whole catalogue')
      table.string('provider').nullable().comment('user provider whose users it acts for')
      table.boolean('revoked').notNullable().defaultTo(false)
      table.bigInteger('created_at').notNullable().comment('epoch milliseconds')
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
