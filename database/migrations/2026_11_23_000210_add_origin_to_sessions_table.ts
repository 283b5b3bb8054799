import { BaseSchema } from '@adonisjs/lucid/schema'

/** The sign-in at a provider that a session comes from: what the provider ends it by. */
export default class extends BaseSchema {
  protected tableName = 'sessions'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.string('origin_subject', 64).nullable().index().comment('hash of issuer and subject')
      table.string('origin_sid', 64).nullable().index().comment('hash of issuer and its session')
    })
  }

  async down() {
    this.schema.alterTable(this.tableName, (table) => {
      table.dropIndex('origin_subject')
      table.dropIndex('origin_sid')
    })
    this.schema.alterTable(this.tableName, (table) => {
      table.dropColumns('origin_subject', 'origin_sid')
    })
  }
}
