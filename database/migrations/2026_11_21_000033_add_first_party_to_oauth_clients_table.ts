import { BaseSchema } from '@adonisjs/lucid/schema'

/** Clients of whoever runs this server: nobody is asked whether they may act. */
export default class extends BaseSchema {
  protected tableName = 'oauth_clients'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.boolean('first_party').notNullable().defaultTo(false)
    })
  }

  async down() {
    this.schema.alterTable(this.tableName, (table) => {
      table.dropColumn('first_party')
    })
  }
}
