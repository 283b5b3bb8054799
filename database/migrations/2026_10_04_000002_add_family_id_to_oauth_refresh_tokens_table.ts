import { BaseSchema } from '@adonisjs/lucid/schema'

/** Tokens that are older than this column are the first of their own family: see familyOf. */
export default class extends BaseSchema {
  protected tableName = 'oauth_refresh_tokens'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.string('family_id', 64).nullable().index()
    })
  }

  async down() {
    this.schema.alterTable(this.tableName, (table) => {
      table.dropIndex(['family_id'])
    })
    this.schema.alterTable(this.tableName, (table) => {
      table.dropColumn('family_id')
    })
  }
}
