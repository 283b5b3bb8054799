import { BaseSchema } from '@adonisjs/lucid/schema'

/** Clients that have to push their authorization requests (RFC 9126 §6). */
export default class extends BaseSchema {
  protected tableName = 'oauth_clients'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.boolean('require_pushed').notNullable().defaultTo(false)
    })
  }

  async down() {
    this.schema.alterTable(this.tableName, (table) => {
      table.dropColumn('require_pushed')
    })
  }
}
