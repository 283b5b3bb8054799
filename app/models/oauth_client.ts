import KitOAuthClient from 'adonis-auth-kit/oauth2/models/oauth_client'

/** An application that may ask for tokens. Columns, hooks and relations of your own belong here. */
export default class OAuthClient extends KitOAuthClient {
  static table = 'oauth_clients'
}
