import { BaseSchema } from '@adonisjs/lucid/schema'

const TABLES = ['oauth_access_tokens', 'oauth_refresh_tokens', 'oauth_auth_codes']

/** Keys that tokens and codes are bound to (RFC 9449). */
export default class extends BaseSchema {
  async up() {
    for (const name of TABLES) {
      this.schema.alterTable(name, (table) => {
        table.string('dpop_jkt', 43).nullable().comment('thumbprint of the key')
      })
    }
  }

  async down() {
    for (const name of TABLES) {
      this.schema.alterTable(name, (table) => {
        table.dropColumn('dpop_jkt')
      })
    }
  }
}
