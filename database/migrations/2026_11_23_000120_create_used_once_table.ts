import { BaseSchema } from '@adonisjs/lucid/schema'

/** Tables that each feature had for what it accepts once. Their rows live for an hour at most: nothing is moved. */
const BEFORE = {
  oauth_used_assertions: 'digest',
  oauth_dpop_proofs: 'proof_hash',
  passkey_used_challenges: 'challenge',
  social_used_states: 'state',
}

export default class extends BaseSchema {
  protected tableName = 'used_once'

  async up() {
    this.#make(this.tableName, 'digest')
    for (const table of Object.keys(BEFORE)) {
      this.schema.dropTableIfExists(table)
    }
  }

  async down() {
    this.schema.dropTable(this.tableName)
    for (const [table, key] of Object.entries(BEFORE)) {
      this.schema.dropTableIfExists(table)
      this.#make(table, key)
    }
  }

  #make(name: string, key: string) {
    this.schema.createTable(name, (table) => {
      table.string(key, 64).primary().comment('SHA-256 of what was used')
      table.bigInteger('expires_at').notNullable().index().comment('epoch milliseconds')
    })
  }
}
