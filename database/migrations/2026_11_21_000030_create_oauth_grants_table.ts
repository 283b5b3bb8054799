import { BaseSchema } from '@adonisjs/lucid/schema'

/** What users have allowed clients. A row is the lock for all codes and tokens under it. */
export default class extends BaseSchema {
  protected tableName = 'oauth_grants'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('id', 64).primary()
      table.string('user_id').notNullable()
      table.string('provider').notNullable().comment('user provider that user_id belongs to')
      table.text('client_id').notNullable()
      table.text('resource').nullable()
      table.text('scopes').notNullable().comment('JSON list')
      table.text('context').nullable().comment('JSON object of the application')
      table.text('redirect_host').nullable().comment('null: the next request asks again')
      table.string('live_key', 64).nullable().unique().comment('null once it has ended')
      table.bigInteger('created_at').notNullable().comment('epoch milliseconds, as those below')
      table.bigInteger('last_used_at').nullable()
      table.bigInteger('expires_at').notNullable().index()
      table.bigInteger('revoked_at').nullable()
      table.index(['user_id', 'provider'])
      table.index(['client_id'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
