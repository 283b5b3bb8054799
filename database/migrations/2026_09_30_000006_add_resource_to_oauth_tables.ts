import { BaseSchema } from '@adonisjs/lucid/schema'

const TABLES = ['oauth_access_tokens', 'oauth_refresh_tokens', 'oauth_auth_codes']

/** Resource indicators (RFC 8707). */
export default class extends BaseSchema {
  async up() {
    for (const name of TABLES) {
      this.schema.alterTable(name, (table) => {
        table.text('resource').nullable()
      })
    }
  }

  async down() {
    for (const name of TABLES) {
      this.schema.alterTable(name, (table) => {
        table.dropColumn('resource')
      })
    }
  }
}
