import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'two_factor_recovery_codes'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.bigIncrements('id')
      table.string('user_id').notNullable()
      table.string('provider').notNullable().comment('user provider that user_id belongs to')
      table.string('code', 64).notNullable().comment('SHA-256 of the code')
      table.bigInteger('created_at').notNullable().comment('epoch milliseconds')
      table.unique(['user_id', 'provider', 'code'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
