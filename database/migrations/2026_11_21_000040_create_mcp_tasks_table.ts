import { BaseSchema } from '@adonisjs/lucid/schema'

/** Calls of MCP tools that go on after they were answered (Tasks extension). */
export default class extends BaseSchema {
  protected tableName = 'mcp_tasks'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('id', 64).primary().comment('SHA-256 of the task id')
      table.integer('version').notNullable().comment('counts changes')
      table.text('server').notNullable()
      table.text('owner').nullable().comment('null: an anonymous caller')
      table.string('status', 20).notNullable()
      table.text('data').notNullable().comment('JSON')
      table.bigInteger('created_at').notNullable().comment('epoch milliseconds')
      table.bigInteger('expires_at').notNullable().index().comment('epoch milliseconds')
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
