import { column } from '@adonisjs/lucid/orm'

import { OauthClientSchema } from '#database/schema'

/** A registered OAuth client. Instants are epoch milliseconds. */
export default class OAuthClient extends OauthClientSchema {
  static table = 'oauth_clients'

  @column({ serializeAs: null })
  declare secretHash: string | null

  /** SQLite stores booleans as numbers. */
  @column({ consume: Boolean })
  declare revoked: boolean
}
