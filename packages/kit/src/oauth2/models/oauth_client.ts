import { column } from '@adonisjs/lucid/orm'

import { OauthClientSchema } from '#database/schema'
import type { ClientSource } from '#oauth2/clients/client'
import type { ClientOpenId } from '#oauth2/openid/client_settings'

/** A registered OAuth client. Instants are epoch milliseconds. */
export default class OAuthClient extends OauthClientSchema {
  static table = 'oauth_clients'

  @column({ serializeAs: null })
  declare secretHash: string | null

  @column({ serializeAs: null })
  declare previousSecretHash: string | null

  /** SQLite stores booleans as numbers. */
  @column({ consume: Boolean })
  declare revoked: boolean

  @column()
  declare source: ClientSource | null

  @column({ consume: Boolean })
  declare firstParty: boolean

  @column({ consume: Boolean })
  declare requirePushed: boolean

  @column({
    prepare: (value) => (value ? JSON.stringify(value) : null),
    consume: (value) => JSON.parse(value),
  })
  declare openid: ClientOpenId | null
}
