import { OauthGrantSchema } from '#database/schema'

/** What a user has allowed a client. Instants are epoch milliseconds. */
export default class OAuthGrant extends OauthGrantSchema {
  static table = 'oauth_grants'
}
