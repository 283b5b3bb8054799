import { BaseSchema } from '@adonisjs/lucid/schema'

/** Clients that authenticate with a key of their own, instead of a secret. */
export default class extends BaseSchema {
  protected tableName = 'oauth_clients'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.text('jwks').nullable().comment('JSON list: public keys of the client')
      table.text('jwks_uri').nullable().comment('where the public keys of the client are')
    })
  }

  async down() {
    this.schema.alterTable(this.tableName, (table) => {
      table.dropColumns('jwks', 'jwks_uri')
    })
  }
}
