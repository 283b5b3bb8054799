import { personalAccessTokenValidator } from '#oauth2/validators'
import {
  type Schema,
  anyObject,
  constant,
  count,
  created,
  describeRoutes,
  instant,
  instants,
  listOf,
  noContent,
  nullable,
  object,
  ok,
  open,
  orNull,
  pages,
  status,
  text,
  texts,
  url,
  urls,
  yesNo,
} from '#openapi/describe'

const scope = object(texts('name', 'description'))
const scopes = listOf(text)
const tokens = object(
  { access_token: text, token_type: { enum: ['Bearer', 'DPoP'] }, expires_in: count, scope: text },
  texts('refresh_token', 'id_token')
)

/** A form of named fields, as clients send it; others are ignored. */
const form = (required: string[], ...optional: string[]) => ({
  form: true,
  body: open(required, texts(...required, ...optional)),
})
const CLIENT = ['client_id', 'client_secret']

const authorizationQuery = texts(
  ...['response_type', 'client_id', 'redirect_uri', 'scope', 'state', 'code_challenge'],
  ...['code_challenge_method', 'resource', 'request_uri', 'prompt', 'nonce', 'max_age'],
  ...['login_hint', 'dpop_jkt']
)

const asked = object({
  ...texts('client_id', 'client_name', 'scope', 'response_type'),
  ...nullable('redirect_uri', 'state', 'code_challenge', 'code_challenge_method', 'resource'),
  scopes: listOf(scope),
  requires_approval: yesNo,
})

const client = { ...texts('client_id', 'client_name'), client_host: orNull(text) }

/** What an approval can be bound to, where there is a choice. */
const contexts = listOf(object({ value: text, label: text, selected: yesNo }))

const pending = object(
  {
    ...client,
    ...texts('redirect_uri', 'redirect_kind', 'user_id'),
    ...nullable('redirect_host', 'resource'),
    scopes: listOf(object({ name: text, description: text, granted: yesNo, writes: yesNo })),
    other_granted_scopes: listOf(scope),
    requires_login: yesNo,
    expires_at: instant,
  },
  { selects_account: yesNo, contexts }
)

const device = object(
  {
    ...client,
    user_id: text,
    scopes: listOf(scope),
    ...nullable('resource', 'ip_address', 'browser', 'system'),
    ...instants('requested_at', 'expires_at'),
  },
  { contexts }
)

const metadata = open(['issuer', 'authorization_endpoint', 'token_endpoint'], {
  ...urls('issuer', 'authorization_endpoint', 'token_endpoint'),
  grant_types_supported: listOf(text),
})

const registered = open(['client_id', 'redirect_uris'], {
  ...texts('client_id', 'client_secret'),
  client_id_issued_at: instant,
  redirect_uris: listOf(text),
  grant_types: listOf(text),
})

const verification = urls('verification_uri', 'verification_uri_complete')
const polling = { expires_in: count, interval: count }
const deviceCode = object({ ...texts('device_code', 'user_code'), ...verification, ...polling })

const lifetime = instants('created_at', 'expires_at')
const holder = nullable('client_id', 'client_name')
const heldToken = object({ jti: text, ...holder, scopes, ...lifetime, active: yesNo })

const personalToken = object(
  { jti: text, name: orNull(text), scopes, revoked: yesNo, ...lifetime },
  { context_name: text }
)

const newToken = object({ ...texts('jti', 'name', 'access_token'), scopes, expires_in: count })

const mine = (summary: string, answer: Schema, more: object = {}) =>
  ok(summary, answer, { signedIn: true, ...more })
const revoke = (summary: string) => noContent(summary, { signedIn: true })
const chosen = { scopes: orNull(scopes), context: orNull(anyObject) }
const decision = (summary: string) =>
  mine(summary, object({ redirect_to: text }), { body: { type: 'object', properties: chosen } })

/** The endpoints of the authorization server, also those that a setting turns on. */
const oauth = describeRoutes('OAuth', {
  'GET /.well-known/oauth-authorization-server': ok(
    'The metadata of the authorization server (RFC 8414)',
    metadata
  ),
  'GET /.well-known/jwks.json': ok(
    'The public keys (RFC 7517)',
    object({ keys: listOf(anyObject) }),
    { type: 'application/jwk-set+json' }
  ),
  'GET /oauth/authorize': mine('What a person is asked to approve (RFC 6749 §3.1)', asked, {
    query: authorizationQuery,
  }),
  'POST /oauth/authorize': mine(
    'Approve, from a consent page of your own',
    object({ code: text }, { redirect_to: text, state: orNull(text), iss: url }),
    { body: open(['approved'], { ...authorizationQuery, approved: yesNo }) }
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
    open(['active'], { active: yesNo }),
    form(['token'], 'token_type_hint', ...CLIENT)
  ),
  'POST /oauth/revoke': ok(
    'Revoke a token (RFC 7009)',
    object({ revoked: constant(true) }),
    form(['token'], 'token_type_hint', ...CLIENT)
  ),
  'POST /oauth/register': created('Register a client (RFC 7591)', registered, {
    body: {
      type: 'object',
      properties: {
        ...{ redirect_uris: listOf(text), grant_types: listOf(text) },
        ...texts('client_name', 'token_endpoint_auth_method', 'scope'),
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
  'GET /device': mine('Which device asks under a code', device, { query: { user_code: text } }),
  'POST /device/approve': mine('Sign the device in', status('approved'), {
    body: object({ user_code: text }, { scopes, context: orNull(anyObject) }),
  }),
  'POST /device/deny': mine('Refuse the device', status('denied'), {
    body: object({ user_code: text }),
  }),
  'POST /oauth/par': created(
    'Push an authorization request (RFC 9126)',
    object({ request_uri: text, expires_in: count }),
    form(['client_id'], ...Object.keys(authorizationQuery))
  ),
  'GET /oauth/tokens': mine('Tokens that clients hold for the caller', listOf(heldToken)),
  'DELETE /oauth/tokens': revoke('Revoke all of them'),
  'DELETE /oauth/tokens/:jti': revoke('Revoke one of them'),
  'GET /oauth/personal-access-tokens': mine(
    'The personal access tokens of the caller',
    listOf(personalToken)
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
  open(['sub'], { sub: text }),
  { accessToken: ['openid'] }
)

const openid = describeRoutes('OpenID Connect', {
  'GET /.well-known/openid-configuration': ok(
    'The metadata of the provider (OpenID Connect Discovery 1.0)',
    open(['issuer'], { issuer: text })
  ),
  'GET /oauth/userinfo': USERINFO,
  'POST /oauth/userinfo': USERINFO,
  ...pages('GET /oauth/logout', 'POST /oauth/logout', 'POST /oauth/logout/confirm'),
  'POST /oauth/authorizations/:handle/select': mine(
    'Go on with the account that is signed in',
    object({ redirect_to: text })
  ),
})

export default [oauth, openid]
