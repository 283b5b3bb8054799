import { BaseSchema } from '@adonisjs/lucid/schema'

const ACCESS = 'oauth_access_tokens'
const REFRESH = 'oauth_refresh_tokens'
const CODES = 'oauth_auth_codes'
const TABLES = [ACCESS, REFRESH, CODES]

const USER = ['user_id', 'provider']
const GRANT = [...USER, 'grant_id']
const REPLAYABLE = 'oauth_refresh_tokens_replayable_until_index'

/**
 * What a code or a token comes from: the grant of its user, the key it is bound to (RFC 9449), the sign-in that ID
 * tokens speak of. When a personal access token was used last, and what it is bound to. The answer to the last
 * rotation, sealed with the token that was rotated, for the client that did not get it.
 */
export default class extends BaseSchema {
  async up() {
    /* A database of an unreleased version has parts of this. */
    const lacks = async (table: string, column: string) =>
      !(await this.db.schema.hasColumn(table, column))

    if (await lacks(CODES, 'grant_id')) {
      for (const name of TABLES) {
        this.schema.alterTable(name, (table) => {
          /* Rows older than grants, and tokens that no user has approved, have none. */
          table.string('grant_id', 64).nullable()
          table.string('dpop_jkt', 43).nullable().comment('thumbprint of the key')
          /* In place of the index on the user: what is under a grant has the grant's user. */
          table.index(GRANT)
          table.dropIndex(USER)
        })
      }
      for (const name of [CODES, REFRESH]) {
        this.schema.alterTable(name, (table) => {
          table
            .text('authentication')
            .nullable()
            .comment('JSON object; null without OpenID Connect')
        })
      }
      this.schema.alterTable(ACCESS, (table) => {
        table.bigInteger('last_used_at').nullable()
      })
    }
    if (await lacks(ACCESS, 'context')) {
      this.schema.alterTable(ACCESS, (table) => {
        table.text('context').nullable().comment('JSON: what a personal access token is bound to')
      })
    }
    if (await lacks(REFRESH, 'sealed_successor')) {
      this.schema.alterTable(REFRESH, (table) => {
        table.text('sealed_successor').nullable().comment('encrypted with the rotated token')
        table.bigInteger('replayable_until').nullable()
      })
      /* Most rows have none, and every token that is issued writes all indexes. */
      this.schema.raw(
        `CREATE INDEX ${REPLAYABLE} ON ${REFRESH} (replayable_until) WHERE replayable_until IS NOT NULL`
      )
    }
  }

  async down() {
    this.schema.raw(`DROP INDEX ${REPLAYABLE}`)
    for (const name of TABLES) {
      this.schema.alterTable(name, (table) => {
        table.index(USER)
        table.dropIndex(GRANT)
      })
    }
    this.schema.alterTable(ACCESS, (table) => {
      table.dropColumns('grant_id', 'dpop_jkt', 'last_used_at', 'context')
    })
    this.schema.alterTable(REFRESH, (table) => {
      table.dropColumns('grant_id', 'dpop_jkt', 'authentication')
      table.dropColumns('sealed_successor', 'replayable_until')
    })
    this.schema.alterTable(CODES, (table) => {
      table.dropColumns('grant_id', 'dpop_jkt', 'authentication')
    })
  }
}
