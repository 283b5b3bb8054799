import { BaseSchema } from '@adonisjs/lucid/schema'

/** What the login of a session was: a name for it that other systems may know, and how the user proved who they are. */
export default class extends BaseSchema {
  protected tableName = 'sessions'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.text('login').nullable().comment('JSON object; null for guests')
    })
  }

  async down() {
    this.schema.alterTable(this.tableName, (table) => {
      table.dropColumn('login')
    })
  }
}
