import { BaseSchema } from '@adonisjs/lucid/schema'

const TABLES = ['oauth_auth_codes', 'oauth_access_tokens', 'oauth_refresh_tokens']

const USER = ['user_id', 'provider']

/** One index in place of two: what is under a grant has the grant's user. Every token that is issued writes all of them. */
export default class extends BaseSchema {
  async up() {
    for (const name of TABLES) {
      this.schema.alterTable(name, (table) => {
        table.index([...USER, 'grant_id'])
      })
      this.schema.alterTable(name, (table) => {
        table.dropIndex(USER)
        table.dropIndex(['grant_id'])
      })
    }
  }

  async down() {
    for (const name of TABLES) {
      this.schema.alterTable(name, (table) => {
        table.index(USER)
        table.index(['grant_id'])
      })
      this.schema.alterTable(name, (table) => {
        table.dropIndex([...USER, 'grant_id'])
      })
    }
  }
}
