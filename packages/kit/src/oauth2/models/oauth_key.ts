import { column } from '@adonisjs/lucid/orm'

import { OauthKeySchema } from '#database/schema'

/** A key that signs tokens, its private part encrypted. Instants are epoch milliseconds. */
export default class OAuthKey extends OauthKeySchema {
  static table = 'oauth_keys'

  @column({ serializeAs: null }) declare sealed: string
}
