import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'users'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.bigInteger('email_verified_at').nullable().comment('epoch milliseconds')
      table.string('proposed_email', 254).nullable().comment('a new address, not verified yet')
    })
  }

  async down() {
    this.schema.alterTable(this.tableName, (table) => {
      table.dropColumns('email_verified_at', 'proposed_email')
    })
  }
}
