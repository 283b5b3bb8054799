import { BaseSchema } from '@adonisjs/lucid/schema'

const TABLES = ['oauth_auth_codes', 'oauth_access_tokens', 'oauth_refresh_tokens']

/** Rows older than grants, and tokens that no user has approved, have none. */
export default class extends BaseSchema {
  async up() {
    for (const name of TABLES) {
      this.schema.alterTable(name, (table) => {
        table.string('grant_id', 64).nullable().index()
      })
    }
  }

  async down() {
    for (const name of TABLES) {
      this.schema.alterTable(name, (table) => {
        table.dropIndex(['grant_id'])
      })
      this.schema.alterTable(name, (table) => {
        table.dropColumn('grant_id')
      })
    }
  }
}
