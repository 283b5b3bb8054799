import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'social_used_states'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('state', 64).primary().comment('SHA-256 of the state')
      table.bigInteger('expires_at').notNullable().index().comment('epoch milliseconds')
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
