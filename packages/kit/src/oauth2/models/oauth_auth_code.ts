import { column } from '@adonisjs/lucid/orm'

import { OauthAuthCodeSchema } from '#database/schema'

/** An authorization code, known by the hash of its value. Instants are epoch milliseconds. */
export default class OAuthAuthCode extends OauthAuthCodeSchema {
  static table = 'oauth_auth_codes'

  @column({ serializeAs: null }) declare codeHash: string
}
