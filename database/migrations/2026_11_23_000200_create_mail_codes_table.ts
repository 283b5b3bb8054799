import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'mail_codes'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('id', 22).primary().comment('known to the browser that asked')
      table.string('hash', 64).notNullable().comment('of the code, keyed by APP_KEY')
      table.integer('tries').notNullable().comment('how many are left')
      table.bigInteger('expires_at').notNullable().index().comment('epoch milliseconds')
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
