import { column } from '@adonisjs/lucid/orm'

import { OauthRefreshTokenSchema } from '#database/schema'

/** A refresh token, known by the hash of its value. Instants are epoch milliseconds. */
export default class OAuthRefreshToken extends OauthRefreshTokenSchema {
  static table = 'oauth_refresh_tokens'

  @column({ serializeAs: null }) declare tokenHash: string
}
