import { BaseSchema } from '@adonisjs/lucid/schema'

/** What unreleased versions had instead. Their rows live for an hour at most: nothing is moved. */
const BEFORE = [
  'oauth_used_assertions',
  'oauth_dpop_proofs',
  'passkey_used_challenges',
  'social_used_states',
]

export default class extends BaseSchema {
  protected tableName = 'used_once'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('digest', 64).primary().comment('SHA-256 of what was used')
      table.bigInteger('expires_at').notNullable().index().comment('epoch milliseconds')
    })
    for (const table of BEFORE) {
      this.schema.dropTableIfExists(table)
    }
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
