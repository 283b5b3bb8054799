import KitOAuthRefreshToken from 'adonis-auth-kit/oauth2/models/oauth_refresh_token'

/** A refresh token. Columns, hooks and relations of your own belong here. */
export default class OAuthRefreshToken extends KitOAuthRefreshToken {
  static table = 'oauth_refresh_tokens'
}
