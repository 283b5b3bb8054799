import { OauthPushedRequestSchema } from '#database/schema'

/** An authorization request that its client has pushed, known by the hash of its `request_uri`. Instants are epoch milliseconds. */
export default class OAuthPushedRequest extends OauthPushedRequestSchema {
  static table = 'oauth_pushed_requests'
}
