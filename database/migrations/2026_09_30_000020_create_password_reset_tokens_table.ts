import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'password_reset_tokens'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.bigIncrements('id')
      table.string('broker').notNullable()
      table.string('email', 254).notNullable()
      table.string('token', 64).notNullable().comment('SHA-256 of the token')
      table.bigInteger('created_at').notNullable().comment('epoch milliseconds, as below')
      table.bigInteger('expires_at').notNullable().index()
      table.unique(['broker', 'email'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
