import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'workspace_memberships'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.increments('id').notNullable()
      table
        .integer('workspace_id')
        .unsigned()
        .notNullable()
        .references('workspaces.id')
        .onDelete('CASCADE')
      table.string('user_id').notNullable()
      table.string('provider').notNullable().comment('user provider that user_id belongs to')
      table.string('role').notNullable()
      table.bigInteger('created_at').notNullable().comment('epoch milliseconds')
      table.unique(['workspace_id', 'provider', 'user_id'])
      table.index(['user_id', 'provider'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
