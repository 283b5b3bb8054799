import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'users'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table
        .string('language', 35)
        .nullable()
        .comment('of pages and mails; null for what the browser asks for')
    })
  }

  async down() {
    /* On SQLite Knex would make the table anew, and what refers to its rows would be deleted. */
    this.schema.raw('ALTER TABLE users DROP COLUMN language')
  }
}
