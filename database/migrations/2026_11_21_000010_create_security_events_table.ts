import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'security_events'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.bigIncrements('id')
      table.string('user_id').notNullable()
      table.string('provider').notNullable().comment('user provider of user_id')
      table.string('type').notNullable()
      table.text('details').notNullable().comment('JSON')
      table.string('ip_address', 45).nullable()
      table.string('user_agent', 255).nullable()
      table.bigInteger('created_at').notNullable().index().comment('epoch milliseconds')
      table.index(['user_id', 'provider', 'created_at'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
