import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'oauth_refresh_tokens'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('id', 64).primary()
      table.string('token_hash', 64).notNullable().unique().comment('SHA-256 of the token')
      table.string('access_token_id', 64).notNullable().index().comment('issued together')
      table.string('user_id').notNullable()
      table.string('provider').notNullable().comment('user provider that user_id belongs to')
      table.string('client_id').nullable().index()
      table.text('scopes').notNullable().comment('JSON list')
      table.bigInteger('created_at').notNullable().comment('epoch milliseconds, as those below')
      table.bigInteger('expires_at').notNullable().index()
      table.bigInteger('rotated_at').nullable()
      table.bigInteger('revoked_at').nullable()
      table.index(['user_id', 'provider'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
