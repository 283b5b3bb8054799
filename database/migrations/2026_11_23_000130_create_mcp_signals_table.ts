import { BaseSchema } from '@adonisjs/lucid/schema'

/** What subscribed MCP clients wait for, and when it last changed: by it processes tell each other. */
export default class extends BaseSchema {
  protected tableName = 'mcp_signals'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('id', 64).primary().comment('SHA-256 of the topic')
      table.string('version', 36).notNullable().comment('new at every signal')
      table.bigInteger('expires_at').notNullable().index().comment('epoch milliseconds')
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
