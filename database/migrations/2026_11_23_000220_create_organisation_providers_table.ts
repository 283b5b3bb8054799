import { BaseSchema } from '@adonisjs/lucid/schema'

/** The identity providers of organisations, each for the addresses of a domain. */
export default class extends BaseSchema {
  protected tableName = 'organisation_providers'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.increments('id')
      table.string('name', 40).notNullable().unique().comment('part of its addresses')
      table.string('domain', 253).notNullable()
      table.string('issuer').notNullable()
      table.string('client_id').notNullable()
      table.text('client_secret').notNullable().comment('encrypted')
      table.string('token', 64).notNullable().comment('what the TXT record has to hold')
      table.string('verified_domain', 253).nullable().unique().comment('held by one row')
      table.boolean('forbids_password').notNullable()
      table.integer('workspace_id').nullable().index().comment('null: of the operator')
      table.bigInteger('created_at').notNullable().comment('epoch milliseconds')
    })
    /* Of the rows of the operator, too: a null equals no other in a unique index. */
    this.schema.raw(
      `CREATE UNIQUE INDEX ${this.tableName}_unique ON ${this.tableName} (domain, issuer, coalesce(workspace_id, 0))`
    )
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
