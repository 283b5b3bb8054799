import { BaseSchema } from '@adonisjs/lucid/schema'

/** Clients that nobody here registered: Client ID Metadata Documents and dynamic registration (RFC 7591). */
export default class extends BaseSchema {
  protected tableName = 'oauth_clients'

  async up() {
    /* The URL of a document is longer than other ids. SQLite has no limit on texts. */
    if (this.db.dialect.name === 'postgres') {
      this.schema.raw('ALTER TABLE oauth_clients ALTER COLUMN id TYPE varchar(255)')
    }
    this.schema.alterTable(this.tableName, (table) => {
      table
        .string('source', 20)
        .nullable()
        .comment('document, registration; null: the command or code')
      table.bigInteger('document_expires_at').nullable().comment('epoch milliseconds')
      table.bigInteger('purge_at').nullable().index().comment('epoch milliseconds')
    })
  }

  async down() {
    this.schema.raw('DELETE FROM oauth_clients WHERE source IS NOT NULL')
    this.schema.alterTable(this.tableName, (table) => {
      table.dropIndex('purge_at')
      table.dropColumns('source', 'document_expires_at', 'purge_at')
    })
    if (this.db.dialect.name === 'postgres') {
      this.schema.raw('ALTER TABLE oauth_clients ALTER COLUMN id TYPE varchar(64)')
    }
  }
}
