import { BaseSchema } from '@adonisjs/lucid/schema'

/** What is known of a client beyond its registration by the command: where it comes from, its keys, and what it asks for. */
export default class extends BaseSchema {
  protected tableName = 'oauth_clients'

  async up() {
    /* A database of an unreleased version has parts of this. */
    const lacks = async (column: string) =>
      !(await this.db.schema.hasColumn(this.tableName, column))

    if (await lacks('source')) {
      /* The URL of a document is longer than other ids. SQLite has no limit on texts. */
      if (this.db.dialect.name === 'postgres') {
        this.schema.raw('ALTER TABLE oauth_clients ALTER COLUMN id TYPE varchar(255)')
      }
      this.schema.alterTable(this.tableName, (table) => {
        table.boolean('first_party').notNullable().defaultTo(false).comment('nobody is asked')
        /* Clients that nobody here registered: metadata documents and dynamic registration (RFC 7591). */
        table
          .string('source', 20)
          .nullable()
          .comment('document, registration; null: the command or code')
        table.bigInteger('document_expires_at').nullable().comment('epoch milliseconds')
        table.bigInteger('purge_at').nullable().index().comment('epoch milliseconds')
        /* The secret from before a rotation goes on working for a while. */
        table.string('previous_secret_hash', 64).nullable().comment('SHA-256')
        table.bigInteger('previous_secret_expires_at').nullable().comment('epoch milliseconds')
        table.text('jwks').nullable().comment('JSON list: public keys of the client')
        table.text('jwks_uri').nullable().comment('where the public keys of the client are')
        table.text('openid').nullable().comment('JSON object: logout URIs, kind of subject')
        table.boolean('require_pushed').notNullable().defaultTo(false).comment('RFC 9126 §6')
      })
    }
    if (await lacks('refresh_grace_period')) {
      this.schema.alterTable(this.tableName, (table) => {
        table.integer('refresh_grace_period').nullable().comment('seconds')
      })
    }
  }

  async down() {
    this.schema.raw('DELETE FROM oauth_clients WHERE source IS NOT NULL')
    this.schema.alterTable(this.tableName, (table) => {
      table.dropIndex('purge_at')
      table.dropColumns('first_party', 'source', 'document_expires_at', 'purge_at')
      table.dropColumns('previous_secret_hash', 'previous_secret_expires_at', 'jwks', 'jwks_uri')
      table.dropColumns('openid', 'require_pushed', 'refresh_grace_period')
    })
    if (this.db.dialect.name === 'postgres') {
      this.schema.raw('ALTER TABLE oauth_clients ALTER COLUMN id TYPE varchar(64)')
    }
  }
}
