import { personalAccessTokenValidator } from '#oauth2/validators/personal_access_token'
import {
  anyObject,
  count,
  describeRoutes,
  instant,
  listOf,
  object,
  orNull,
  text,
  url,
  yesNo,
} from '#openapi/describe'
import type { RouteDescription, Schema } from '#openapi/types'

const scope = object({ name: text, description: text })
const tokens = object(
  { access_token: text, token_type: { enum: ['Bearer', 'DPoP'] }, expires_in: count, scope: text },
  { refresh_token: text, id_token: text }
)

/** A form of named fields, as clients send it; others are ignored. */
const form = (required: string[], optional: string[] = []): Schema => ({
  type: 'object',
  properties: Object.fromEntries([...required, ...optional].map((name) => [name, text])),
  required,
})

const authorizationQuery = Object.fromEntries(
  [
    'response_type',
    'client_id',
    'redirect_uri',
    'scope',
    'state',
    'code_challenge',
    'code_challenge_method',
    'resource',
    'request_uri',
  ].map((name) => [name, text])
)

const asked = object({
  client_id: text,
  client_name: text,
  redirect_uri: orNull(text),
  scope: text,
  scopes: listOf(scope),
  state: orNull(text),
  response_type: text,
  code_challenge: orNull(text),
  code_challenge_method: orNull(text),
  resource: orNull(text),
  requires_approval: yesNo,
})

/** What an approval can be bound to, where there is a choice. */
const contexts = listOf(object({ value: text, label: text, selected: yesNo }))

const pending = object(
  {
    client_id: text,
    client_name: text,
    client_host: orNull(text),
    redirect_uri: text,
    redirect_host: orNull(text),
    redirect_kind: text,
    user_id: text,
    resource: orNull(text),
    scopes: listOf(object({ name: text, description: text, granted: yesNo, writes: yesNo })),
    other_granted_scopes: listOf(scope),
    requires_login: yesNo,
    expires_at: instant,
  },
  { selects_account: yesNo, contexts }
)

const device = object(
  {
    client_id: text,
    client_name: text,
    client_host: orNull(text),
    user_id: text,
    resource: orNull(text),
    scopes: listOf(scope),
    ip_address: orNull(text),
    browser: orNull(text),
    system: orNull(text),
    requested_at: instant,
    expires_at: instant,
  },
  { contexts }
)

const metadata: Schema = {
  type: 'object',
  properties: {
    issuer: url,
    authorization_endpoint: url,
    token_endpoint: url,
    grant_types_supported: listOf(text),
  },
  required: ['issuer', 'authorization_endpoint', 'token_endpoint'],
}

const decision = (summary: string): RouteDescription => ({
  summary,
  signedIn: true,
  body: {
    type: 'object',
    properties: { scopes: orNull(listOf(text)), context: orNull(anyObject) },
  },
  answers: { 200: object({ redirect_to: text }) },
})

const clientCall = (summary: string, body: Schema, answer: Schema): RouteDescription => ({
  summary,
  form: true,
  body,
  answers: { 200: answer },
})

/** The endpoints of the authorization server, also those that a setting turns on. */
export default describeRoutes('OAuth', {
  'GET /.well-known/oauth-authorization-server': {
    summary: 'The metadata of the authorization server (RFC 8414)',
    answers: { 200: metadata },
  },
  'GET /.well-known/jwks.json': {
    summary: 'The public keys (RFC 7517)',
    type: 'application/jwk-set+json',
    answers: { 200: object({ keys: listOf(anyObject) }) },
  },
  'GET /oauth/authorize': {
    summary: 'What a person is asked to approve (RFC 6749 §3.1)',
    signedIn: true,
    query: authorizationQuery,
    answers: { 200: asked },
  },
  'POST /oauth/authorize': {
    summary: 'Approve, from a consent page of your own',
    signedIn: true,
    body: { type: 'object', properties: authorizationQuery },
    answers: { 200: object({ code: text }, { redirect_to: text, state: orNull(text), iss: url }) },
  },
  'GET /oauth/authorizations/:handle': {
    summary: 'What waits for the decision of a person',
    signedIn: true,
    answers: { 200: pending },
  },
  'POST /oauth/authorizations/:handle/approve': decision('Approve what waits'),
  'POST /oauth/authorizations/:handle/deny': decision('Deny what waits'),
  'POST /oauth/authorizations/:handle/switch': decision('Sign out, and go on as somebody else'),
  'POST /oauth/token': clientCall(
    'Tokens for a grant (RFC 6749 §3.2)',
    form(
      ['grant_type'],
      [
        'code',
        'redirect_uri',
        'code_verifier',
        'refresh_token',
        'scope',
        'resource',
        'client_id',
        'client_secret',
      ]
    ),
    tokens
  ),
  'POST /token': clientCall(
    'Tokens for a name and a password (RFC 6749 §4.3)',
    form(['username', 'password'], ['scope', 'client_id', 'client_secret']),
    tokens
  ),
  'POST /oauth/introspect': clientCall(
    'What is known of a token (RFC 7662)',
    form(['token'], ['token_type_hint', 'client_id', 'client_secret']),
    { type: 'object', properties: { active: yesNo }, required: ['active'] }
  ),
  'POST /oauth/revoke': clientCall(
    'Revoke a token (RFC 7009)',
    form(['token'], ['token_type_hint', 'client_id', 'client_secret']),
    object({ revoked: { const: true } })
  ),
  'POST /oauth/register': {
    summary: 'Register a client (RFC 7591)',
    body: { type: 'object', properties: { redirect_uris: listOf(text), client_name: text } },
    answers: {
      201: {
        type: 'object',
        properties: {
          client_id: text,
          client_id_issued_at: instant,
          client_secret: text,
          redirect_uris: listOf(text),
          grant_types: listOf(text),
        },
        required: ['client_id', 'redirect_uris'],
      },
    },
  },
  'POST /oauth/device_authorization': clientCall(
    'Begin to sign a device in (RFC 8628)',
    form([], ['client_id', 'client_secret', 'scope', 'resource']),
    object({
      device_code: text,
      user_code: text,
      verification_uri: url,
      verification_uri_complete: url,
      expires_in: count,
      interval: count,
    })
  ),
  'GET /device': {
    summary: 'Which device asks under a code',
    signedIn: true,
    query: { user_code: text },
    answers: { 200: device },
  },
  'POST /device/approve': {
    summary: 'Sign the device in',
    signedIn: true,
    body: object({ user_code: text }, { scopes: listOf(text), context: orNull(anyObject) }),
    answers: { 200: object({ status: { const: 'approved' } }) },
  },
  'POST /device/deny': {
    summary: 'Refuse the device',
    signedIn: true,
    body: object({ user_code: text }),
    answers: { 200: object({ status: { const: 'denied' } }) },
  },
  'POST /oauth/par': {
    summary: 'Push an authorization request (RFC 9126)',
    form: true,
    body: form(['client_id'], Object.keys(authorizationQuery)),
    answers: { 201: object({ request_uri: text, expires_in: count }) },
  },
  'GET /oauth/tokens': {
    summary: 'Tokens that clients hold for the caller',
    signedIn: true,
    answers: {
      200: listOf(
        object({
          jti: text,
          client_id: orNull(text),
          client_name: orNull(text),
          scopes: listOf(text),
          created_at: instant,
          expires_at: instant,
          active: yesNo,
        })
      ),
    },
  },
  'DELETE /oauth/tokens': {
    summary: 'Revoke all of them',
    signedIn: true,
    answers: { 204: null },
  },
  'DELETE /oauth/tokens/:jti': {
    summary: 'Revoke one of them',
    signedIn: true,
    answers: { 204: null },
  },
  'GET /oauth/personal-access-tokens': {
    summary: 'The personal access tokens of the caller',
    signedIn: true,
    answers: {
      200: listOf(
        object(
          {
            jti: text,
            name: orNull(text),
            scopes: listOf(text),
            revoked: yesNo,
            created_at: instant,
            expires_at: instant,
          },
          { context_name: text }
        )
      ),
    },
  },
  'POST /oauth/personal-access-tokens': {
    summary: 'Make a personal access token',
    signedIn: true,
    body: personalAccessTokenValidator,
    answers: {
      201: object({
        jti: text,
        name: text,
        access_token: text,
        scopes: listOf(text),
        expires_in: count,
      }),
    },
  },
  'DELETE /oauth/personal-access-tokens': {
    summary: 'Revoke all of them',
    signedIn: true,
    answers: { 204: null },
  },
  'DELETE /oauth/personal-access-tokens/:jti': {
    summary: 'Revoke one of them',
    signedIn: true,
    answers: { 204: null },
  },
})
