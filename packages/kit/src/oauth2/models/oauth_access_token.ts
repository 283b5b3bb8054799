import { OauthAccessTokenSchema } from '#database/schema'

/** An access token: its claims, and whether it has been revoked. The token itself is not stored. Instants are epoch milliseconds. */
export default class OAuthAccessToken extends OauthAccessTokenSchema {
  static table = 'oauth_access_tokens'
}
