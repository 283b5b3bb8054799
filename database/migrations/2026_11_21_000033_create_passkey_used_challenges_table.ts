import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'passkey_used_challenges'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('challenge', 64).primary().comment('SHA-256 of the challenge')
      table.bigInteger('expires_at').notNullable().index().comment('epoch milliseconds')
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
