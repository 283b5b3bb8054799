import { BaseSchema } from '@adonisjs/lucid/schema'

/** What OpenID Connect adds to a client: null where it has no use for it. */
export default class extends BaseSchema {
  protected tableName = 'oauth_clients'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.text('openid').nullable().comment('JSON object: logout URIs, kind of subject')
    })
  }

  async down() {
    this.schema.alterTable(this.tableName, (table) => {
      table.dropColumn('openid')
    })
  }
}
