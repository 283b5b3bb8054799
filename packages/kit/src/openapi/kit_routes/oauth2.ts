import { personalAccessTokenValidator } from '#oauth2/validators'
import { created, describeRoutes, noContent, ok, pages, type Schema } from '#openapi/describe'
import * as s from '#openapi/schemas'

const scope = s.object(s.texts('name', 'description'))
const scopes = s.listOf(s.text)
const tokens = s.object(
  {
    access_token: s.text,
    token_type: { enum: ['Bearer', 'DPoP'] },
    expires_in: s.count,
    scope: s.text,
  },
  s.texts('refresh_token', 'id_token')
)

/** A form of named fields, as clients send it; others are ignored. */
const form = (required: string[], ...optional: string[]) => ({
  form: true,
  body: s.open(required, s.texts(...required, ...optional)),
})
const CLIENT = ['client_id', 'client_secret']

const authorizationQuery = s.texts(
  ...['response_type', 'client_id', 'redirect_uri', 'scope', 'state', 'code_challenge'],
  ...['code_challenge_method', 'resource', 'request_uri', 'prompt', 'nonce', 'max_age'],
  ...['login_hint', 'dpop_jkt']
)

const asked = s.object({
  ...s.texts('client_id', 'client_name', 'scope', 'response_type'),
  ...s.nullable('redirect_uri', 'state', 'code_challenge', 'code_challenge_method', 'resource'),
  scopes: s.listOf(scope),
  requires_approval: s.yesNo,
})

const client = { ...s.texts('client_id', 'client_name'), client_host: s.orNull(s.text) }

/** What an approval can be bound to, where there is a choice. */
const contexts = s.listOf(s.object({ value: s.text, label: s.text, selected: s.yesNo }))

const pending = s.object(
  {
    ...client,
    ...s.texts('redirect_uri', 'redirect_kind', 'user_id'),
    ...s.nullable('redirect_host', 'resource'),
    scopes: s.listOf(
      s.object({ name: s.text, description: s.text, granted: s.yesNo, writes: s.yesNo })
    ),
    other_granted_scopes: s.listOf(scope),
    requires_login: s.yesNo,
    expires_at: s.instant,
  },
  { selects_account: s.yesNo, contexts }
)

const device = s.object(
  {
    ...client,
    user_id: s.text,
    scopes: s.listOf(scope),
    ...s.nullable('resource', 'ip_address', 'browser', 'system'),
    ...s.instants('requested_at', 'expires_at'),
  },
  { contexts }
)

const metadata = s.open(['issuer', 'authorization_endpoint', 'token_endpoint'], {
  ...s.urls('issuer', 'authorization_endpoint', 'token_endpoint'),
  grant_types_supported: s.listOf(s.text),
})

const registered = s.open(['client_id', 'redirect_uris'], {
  ...s.texts('client_id', 'client_secret'),
  client_id_issued_at: s.instant,
  redirect_uris: s.listOf(s.text),
  grant_types: s.listOf(s.text),
})

const verification = s.urls('verification_uri', 'verification_uri_complete')
const polling = { expires_in: s.count, interval: s.count }
const deviceCode = s.object({ ...s.texts('device_code', 'user_code'), ...verification, ...polling })

const lifetime = s.instants('created_at', 'expires_at')
const holder = s.nullable('client_id', 'client_name')
const heldToken = s.object({ jti: s.text, ...holder, scopes, ...lifetime, active: s.yesNo })

const personalToken = s.object(
  { jti: s.text, name: s.orNull(s.text), scopes, revoked: s.yesNo, ...lifetime },
  { context_name: s.text }
)

const newToken = s.object({
  ...s.texts('jti', 'name', 'access_token'),
  scopes,
  expires_in: s.count,
})

const mine = (summary: string, answer: Schema, more: object = {}) =>
  ok(summary, answer, { signedIn: true, ...more })
const revoke = (summary: string) => noContent(summary, { signedIn: true })
const chosen = { scopes: s.orNull(scopes), context: s.orNull(s.anyObject) }
const decision = (summary: string) =>
  mine(summary, s.object({ redirect_to: s.text }), { body: { type: 'object', properties: chosen } })

/** The endpoints of the authorization server, also those that a setting turns on. */
const oauth = describeRoutes('OAuth', {
  'GET /.well-known/oauth-authorization-server': ok(
    'The metadata of the authorization server (RFC 8414)',
    metadata
  ),
  'GET /.well-known/jwks.json': ok(
    'The public keys (RFC 7517)',
    s.object({ keys: s.listOf(s.anyObject) }),
    { type: 'application/jwk-set+json' }
  ),
  'GET /oauth/authorize': mine('What a person is asked to approve (RFC 6749 §3.1)', asked, {
    query: authorizationQuery,
  }),
  'POST /oauth/authorize': mine(
    'Approve, from a consent page of your own',
    s.object({ code: s.text }, { redirect_to: s.text, state: s.orNull(s.text), iss: s.url }),
    { body: s.open(['approved'], { ...authorizationQuery, approved: s.yesNo }) }
  ),
  'GET /oauth/authorizations/:handle': mine('What waits for the decision of a person', pending),
  'POST /oauth/authorizations/:handle/approve': decision('Approve what waits'),
  'POST /oauth/authorizations/:handle/deny': decision('Deny what waits'),
  'POST /oauth/authorizations/:handle/switch': decision('Sign out, and go on as somebody else'),
  'POST /oauth/token': ok('Tokens for a grant (RFC 6749 §3.2)', tokens, {
    ...form(
      ['grant_type'],
      ...['code', 'redirect_uri', 'code_verifier', 'refresh_token', 'scope', 'resource'],
      ...['username', 'password', 'device_code', 'assertion', ...CLIENT]
    ),
    example: {
      grant_type: 'authorization_code',
      code: 'SplxlOBeZQQYbYS6WxSbIA',
      redirect_uri: 'http://127.0.0.1:8080/callback',
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      client_id: 'https://app.example.com/client.json',
    },
  }),
  'POST /token': ok('Tokens for a name and a password (RFC 6749 §4.3)', tokens, {
    ...form(['username', 'password'], 'scope', ...CLIENT),
    example: { username: 'ann@example.com', password: 'a secret of mine', scope: 'posts:read' },
  }),
  'POST /oauth/introspect': ok(
    'What is known of a token (RFC 7662)',
    s.open(['active'], { active: s.yesNo }),
    form(['token'], 'token_type_hint', ...CLIENT)
  ),
  'POST /oauth/revoke': ok(
    'Revoke a token (RFC 7009)',
    s.object({ revoked: s.constant(true) }),
    form(['token'], 'token_type_hint', ...CLIENT)
  ),
  'POST /oauth/register': created('Register a client (RFC 7591)', registered, {
    body: {
      type: 'object',
      properties: {
        ...{ redirect_uris: s.listOf(s.text), grant_types: s.listOf(s.text) },
        ...s.texts('client_name', 'token_endpoint_auth_method', 'scope'),
      },
    },
    example: {
      client_name: 'An agent',
      redirect_uris: ['http://127.0.0.1:8080/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    },
  }),
  'POST /oauth/device_authorization': ok(
    'Begin to sign a device in (RFC 8628)',
    deviceCode,
    form([], ...CLIENT, 'scope', 'resource')
  ),
  'GET /device': mine('Which device asks under a code', device, { query: { user_code: s.text } }),
  'POST /device/approve': mine('Sign the device in', s.status('approved'), {
    body: s.object({ user_code: s.text }, { scopes, context: s.orNull(s.anyObject) }),
  }),
  'POST /device/deny': mine('Refuse the device', s.status('denied'), {
    body: s.object({ user_code: s.text }),
  }),
  'POST /oauth/par': created(
    'Push an authorization request (RFC 9126)',
    s.object({ request_uri: s.text, expires_in: s.count }),
    form(['client_id'], ...Object.keys(authorizationQuery))
  ),
  'GET /oauth/tokens': mine('Tokens that clients hold for the caller', s.listOf(heldToken)),
  'DELETE /oauth/tokens': revoke('Revoke all of them'),
  'DELETE /oauth/tokens/:jti': revoke('Revoke one of them'),
  'GET /oauth/personal-access-tokens': mine(
    'The personal access tokens of the caller',
    s.listOf(personalToken)
  ),
  'POST /oauth/personal-access-tokens': created('Make a personal access token', newToken, {
    signedIn: true,
    body: personalAccessTokenValidator,
  }),
  'DELETE /oauth/personal-access-tokens': revoke('Revoke all of them'),
  'DELETE /oauth/personal-access-tokens/:jti': revoke('Revoke one of them'),
})

const USERINFO = ok(
  'What a client may know of a person (OpenID Connect Core 1.0 §5.3)',
  s.open(['sub'], { sub: s.text }),
  { accessToken: ['openid'] }
)

const openid = describeRoutes('OpenID Connect', {
  'GET /.well-known/openid-configuration': ok(
    'The metadata of the provider (OpenID Connect Discovery 1.0)',
    s.open(['issuer'], { issuer: s.text })
  ),
  'GET /oauth/userinfo': USERINFO,
  'POST /oauth/userinfo': USERINFO,
  ...pages('GET /oauth/logout', 'POST /oauth/logout', 'POST /oauth/logout/confirm'),
  'POST /oauth/authorizations/:handle/select': mine(
    'Go on with the account that is signed in',
    s.object({ redirect_to: s.text })
  ),
})

export default [oauth, openid]
