import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'sessions'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('id', 64).primary().comment('SHA-256 of the session id')
      table.string('user_id').nullable().index()
      table.string('guard').nullable()
      table.string('csrf_token', 64).notNullable()
      table.text('data').notNullable()
      table.bigInteger('created_at').notNullable().comment('epoch milliseconds, as those below')
      table.bigInteger('last_activity').notNullable().index()
      table.bigInteger('expires_at').notNullable().index()
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
