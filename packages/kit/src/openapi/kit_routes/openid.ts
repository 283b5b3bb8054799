import { describeRoutes, object, PAGE, text } from '#openapi/describe'
import type { RouteDescription } from '#openapi/types'

const USERINFO: RouteDescription = {
  summary: 'What a client may know of a person (OpenID Connect Core 1.0 §5.3)',
  answers: { 200: { type: 'object', properties: { sub: text }, required: ['sub'] } },
}

/** The endpoints of OpenID Connect. */
export default describeRoutes('OpenID Connect', {
  'GET /.well-known/openid-configuration': {
    summary: 'The metadata of the provider (OpenID Connect Discovery 1.0)',
    answers: { 200: { type: 'object', properties: { issuer: text }, required: ['issuer'] } },
  },
  'GET /oauth/userinfo': USERINFO,
  'POST /oauth/userinfo': USERINFO,
  'GET /oauth/logout': PAGE,
  'POST /oauth/logout': PAGE,
  'POST /oauth/logout/confirm': PAGE,
  'POST /oauth/authorizations/:handle/select': {
    summary: 'Go on with the account that is signed in',
    signedIn: true,
    answers: { 200: object({ redirect_to: text }) },
  },
})
