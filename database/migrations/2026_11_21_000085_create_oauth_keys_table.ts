import { BaseSchema } from '@adonisjs/lucid/schema'

/** Asymmetric keys that sign tokens. */
export default class extends BaseSchema {
  protected tableName = 'oauth_keys'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('kid').primary().comment('RFC 7638 thumbprint of the public key')
      table.string('algorithm').notNullable()
      table.text('sealed').notNullable().comment('private key in PEM, encrypted under APP_KEY')
      table.bigInteger('created_at').notNullable().comment('epoch milliseconds, as that below')
      table.bigInteger('signs_at').notNullable()
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
