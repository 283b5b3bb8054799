import { column } from '@adonisjs/lucid/orm'

import { OauthClientSchema } from '#database/schema'
import type { ClientSource } from '#oauth2/clients/client'
import type { ClientOpenId } from '#oauth2/openid/client_settings'

/** A registered OAuth client. Instants are epoch milliseconds. */
export default class OAuthClient extends OauthClientSchema {
  static table = 'oauth_clients'

  @column({ serializeAs: null }) declare secretHash: string | null

  @column({ serializeAs: null }) declare previousSecretHash: string | null

  declare source: ClientSource | null
  declare openid: ClientOpenId | null
}
