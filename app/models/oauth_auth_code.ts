import KitOAuthAuthCode from 'adonis-auth-kit/oauth2/models/oauth_auth_code'

/** An authorization code. Columns, hooks and relations of your own belong here. */
export default class OAuthAuthCode extends KitOAuthAuthCode {
  static table = 'oauth_auth_codes'
}
