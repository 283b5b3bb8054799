import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'personal_api_tokens'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.bigIncrements('id')
      table.string('user_id').notNullable()
      table.string('provider').notNullable().comment('user provider that user_id belongs to')
      table.string('name').nullable()
      table.string('token', 64).notNullable().comment('SHA-256 of the secret')
      table.text('abilities').notNullable().comment('JSON list')
      table.bigInteger('last_used_at').nullable().comment('epoch milliseconds, as those below')
      table.bigInteger('expires_at').nullable().index()
      table.bigInteger('created_at').notNullable()
      table.index(['user_id', 'provider'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
