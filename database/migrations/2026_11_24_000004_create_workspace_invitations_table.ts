import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'workspace_invitations'

  async up() {
    /* A database of an unreleased version has the table without who invites. */
    if (!(await this.db.schema.hasTable(this.tableName))) {
      this.schema.createTable(this.tableName, (table) => {
        table.increments('id').notNullable()
        table
          .integer('workspace_id')
          .unsigned()
          .notNullable()
          .references('workspaces.id')
          .onDelete('CASCADE')
        table.string('email', 254).notNullable()
        table.string('role').notNullable()
        table.string('token_hash').notNullable().unique()
        table.bigInteger('created_at').notNullable().comment('epoch milliseconds')
        table.bigInteger('expires_at').notNullable().index().comment('epoch milliseconds')
        table.unique(['workspace_id', 'email'])
      })
    }
    this.schema.alterTable(this.tableName, (table) => {
      table.string('inviter_id').nullable().comment('who invites; null for the application')
      table
        .string('inviter_provider')
        .nullable()
        .comment('user provider that inviter_id belongs to')
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
