import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'users'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.bigInteger('email_verified_at').nullable().comment('epoch milliseconds')
      table.string('proposed_email', 254).nullable().comment('a new address, not verified yet')
    })
  }

  async down() {
    /* On SQLite Knex would make the table anew, and what refers to its rows would be deleted. */
    this.schema.raw('ALTER TABLE users DROP COLUMN email_verified_at')
    this.schema.raw('ALTER TABLE users DROP COLUMN proposed_email')
  }
}
