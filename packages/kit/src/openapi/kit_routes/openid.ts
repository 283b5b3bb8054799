import { describeRoutes, object, ok, open, pages, text } from '#openapi/describe'

const USERINFO = ok(
  'What a client may know of a person (OpenID Connect Core 1.0 §5.3)',
  open(['sub'], { sub: text })
)

/** The endpoints of OpenID Connect. */
export default describeRoutes('OpenID Connect', {
  'GET /.well-known/openid-configuration': ok(
    'The metadata of the provider (OpenID Connect Discovery 1.0)',
    open(['issuer'], { issuer: text })
  ),
  'GET /oauth/userinfo': USERINFO,
  'POST /oauth/userinfo': USERINFO,
  ...pages('GET /oauth/logout', 'POST /oauth/logout', 'POST /oauth/logout/confirm'),
  'POST /oauth/authorizations/:handle/select': ok(
    'Go on with the account that is signed in',
    object({ redirect_to: text })
  ),
})
