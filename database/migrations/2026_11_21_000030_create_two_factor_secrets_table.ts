import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'two_factor_secrets'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.bigIncrements('id')
      table.string('user_id').notNullable()
      table.string('provider').notNullable().comment('user provider that user_id belongs to')
      table.text('secret').notNullable().comment('encrypted')
      table
        .bigInteger('last_step')
        .notNullable()
        .comment('time step of the newest code that was used')
      table.bigInteger('created_at').notNullable().comment('epoch milliseconds')
      table.unique(['user_id', 'provider'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
