import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'oauth_access_tokens'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('jti', 64).primary()
      table.string('user_id').nullable()
      table.string('provider').nullable().comment('user provider that user_id belongs to')
      table.string('client_id').nullable().index()
      table.text('scopes').notNullable().comment('JSON list')
      table.string('name').nullable().comment('of a personal access token')
      table.bigInteger('created_at').notNullable().comment('epoch milliseconds, as those below')
      table.bigInteger('expires_at').notNullable().index()
      table.bigInteger('revoked_at').nullable()
      table.index(['user_id', 'provider'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
