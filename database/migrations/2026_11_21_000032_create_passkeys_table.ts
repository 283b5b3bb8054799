import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'passkeys'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.bigIncrements('id')
      table.string('user_id').notNullable()
      table.string('provider').notNullable().comment('user provider that user_id belongs to')
      table.string('name').notNullable()
      table.string('credential_id', 1400).notNullable().unique().comment('base64url')
      table.text('public_key').notNullable().comment('COSE key in base64url')
      table.bigInteger('counter').notNullable().comment('signature counter, 0 when there is none')
      table.text('transports').notNullable().comment('JSON list')
      table.bigInteger('last_used_at').nullable().comment('epoch milliseconds, as below')
      table.bigInteger('created_at').notNullable()
      table.index(['user_id', 'provider'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
