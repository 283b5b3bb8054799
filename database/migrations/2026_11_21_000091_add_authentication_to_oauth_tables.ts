import { BaseSchema } from '@adonisjs/lucid/schema'

/** What ID tokens say of the sign-in that a code or a refresh token comes from. */
export default class extends BaseSchema {
  async up() {
    for (const name of ['oauth_auth_codes', 'oauth_refresh_tokens']) {
      this.schema.alterTable(name, (table) => {
        table.text('authentication').nullable().comment('JSON object; null without OpenID Connect')
      })
    }
  }

  async down() {
    for (const name of ['oauth_auth_codes', 'oauth_refresh_tokens']) {
      this.schema.alterTable(name, (table) => {
        table.dropColumn('authentication')
      })
    }
  }
}
