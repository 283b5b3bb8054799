import KitOAuthAccessToken from 'adonis-auth-kit/oauth2/models/oauth_access_token'

/** An access token, personal ones among them. Columns, hooks and relations of your own belong here. */
export default class OAuthAccessToken extends KitOAuthAccessToken {
  static table = 'oauth_access_tokens'
}
