import { BaseSchema } from '@adonisjs/lucid/schema'

/** The device of a session, how its user proved who they are, and the sign-in at a provider that it comes from. */
export default class extends BaseSchema {
  protected tableName = 'sessions'

  async up() {
    /* A database of an unreleased version has parts of this. */
    const lacks = async (column: string) =>
      !(await this.db.schema.hasColumn(this.tableName, column))

    if (await lacks('login')) {
      this.schema.alterTable(this.tableName, (table) => {
        table.string('ip_address', 45).nullable()
        table.string('user_agent', 255).nullable()
        table.text('login').nullable().comment('JSON object; null for most guests')
      })
    }
    if (await lacks('origin_sid')) {
      this.schema.alterTable(this.tableName, (table) => {
        table.string('origin_subject', 64).nullable().comment('hash of issuer and subject')
        table.string('origin_sid', 64).nullable().comment('hash of issuer and its session')
      })
      /* Most sessions come from no provider, and a guest's is nobody's: such rows are in none of these indexes. */
      this.schema.alterTable(this.tableName, (table) => table.dropIndex('user_id'))
      for (const column of ['user_id', 'origin_subject', 'origin_sid']) {
        this.schema.raw(
          `CREATE INDEX sessions_${column}_index ON sessions (${column}) WHERE ${column} IS NOT NULL`
        )
      }
    }
  }

  async down() {
    this.schema.alterTable(this.tableName, (table) => {
      table.dropIndex('user_id')
      table.dropIndex('origin_subject')
      table.dropIndex('origin_sid')
    })
    this.schema.alterTable(this.tableName, (table) => {
      table.dropColumns('ip_address', 'user_agent', 'login', 'origin_subject', 'origin_sid')
      table.index('user_id')
    })
  }
}
