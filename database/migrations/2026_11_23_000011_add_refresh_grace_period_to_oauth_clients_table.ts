import { BaseSchema } from '@adonisjs/lucid/schema'

/** Clients with a grace period of their own for refresh tokens, in seconds. */
export default class extends BaseSchema {
  protected tableName = 'oauth_clients'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.integer('refresh_grace_period').nullable().comment('seconds')
    })
  }

  async down() {
    this.schema.alterTable(this.tableName, (table) => {
      table.dropColumn('refresh_grace_period')
    })
  }
}
