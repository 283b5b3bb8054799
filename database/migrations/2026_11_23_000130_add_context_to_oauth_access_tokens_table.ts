import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'oauth_access_tokens'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.text('context').nullable().comment('JSON: what a personal access token is bound to')
    })
  }

  async down() {
    this.schema.alterTable(this.tableName, (table) => {
      table.dropColumn('context')
    })
  }
}
