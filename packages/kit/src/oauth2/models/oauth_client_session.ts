import { OauthClientSessionSchema } from '#database/schema'

/** A client that hears of the end of a session. Instants are epoch milliseconds. */
export default class OAuthClientSession extends OauthClientSessionSchema {
  static table = 'oauth_client_sessions'
}
