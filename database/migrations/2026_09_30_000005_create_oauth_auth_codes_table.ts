import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'oauth_auth_codes'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('id', 64).primary()
      table.string('code_hash', 64).notNullable().unique().comment('SHA-256 of the code')
      table.string('user_id').notNullable()
      table.string('provider').notNullable().comment('user provider that user_id belongs to')
      table.string('client_id').notNullable().index()
      table.text('redirect_uri').nullable()
      table.text('scopes').notNullable().comment('JSON list')
      table.string('code_challenge', 128).nullable()
      table.string('code_challenge_method', 16).nullable()
      table.bigInteger('created_at').notNullable().comment('epoch milliseconds, as those below')
      table.bigInteger('expires_at').notNullable().index()
      table.bigInteger('redeemed_at').nullable()
      table.bigInteger('revoked_at').nullable()
      table.string('access_token_id', 64).nullable().comment('what it was redeemed for')
      table.index(['user_id', 'provider'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
