import { BaseSchema } from '@adonisjs/lucid/schema'

/** Proofs of keys that have been used, until they are refused for their age (RFC 9449 §11.1). */
export default class extends BaseSchema {
  protected tableName = 'oauth_dpop_proofs'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('proof_hash', 64).primary().comment('SHA-256 of the key and the jti')
      table.bigInteger('expires_at').notNullable().index().comment('epoch milliseconds')
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
