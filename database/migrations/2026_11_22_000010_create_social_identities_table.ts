import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'social_identities'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.bigIncrements('id')
      table.string('user_id').notNullable()
      table.string('provider').notNullable().comment('user provider that user_id belongs to')
      table.string('name').notNullable().comment('name of the provider in config/social.ts')
      table.string('issuer').notNullable()
      table.string('subject').notNullable()
      table.string('email', 254).nullable().comment('what the provider told last')
      table.string('password_mark', 64).nullable().comment('equal: nobody has set a password')
      table.bigInteger('created_at').notNullable().comment('epoch milliseconds, as below')
      table.bigInteger('last_used_at').notNullable()
      table.unique(['issuer', 'subject', 'provider'])
      table.index(['user_id', 'provider'])
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
