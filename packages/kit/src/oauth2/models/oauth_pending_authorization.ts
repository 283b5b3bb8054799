import { OauthPendingAuthorizationSchema } from '#database/schema'

/** An authorization request that waits for a decision, known by the hash of its handle. Instants are epoch milliseconds. */
export default class OAuthPendingAuthorization extends OauthPendingAuthorizationSchema {
  static table = 'oauth_pending_authorizations'
}
