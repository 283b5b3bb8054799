import { BaseSchema } from '@adonisjs/lucid/schema'

/** Clients that want to hear of the end of a session: one row for each client and session. */
export default class extends BaseSchema {
  protected tableName = 'oauth_client_sessions'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('sid', 64).notNullable()
      table.string('client_id').notNullable()
      table.string('user_id').notNullable()
      table.string('provider').notNullable().comment('user provider that user_id belongs to')
      table.string('subject').notNullable().comment('sub of the user as the client knows it')
      table
        .bigInteger('expires_at')
        .notNullable()
        .comment('end of the session, in epoch milliseconds')
      table.integer('attempts').notNullable().defaultTo(0).comment('logout tokens that were sent')
      table
        .bigInteger('due_at')
        .nullable()
        .index()
        .comment('when the next one is sent; null while the session lives')
      table.primary(['sid', 'client_id'])
      table.index(['provider', 'user_id'])
      table.index('expires_at')
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
