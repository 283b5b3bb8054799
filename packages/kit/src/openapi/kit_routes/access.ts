import { apiTokenValidator } from '#api_token/validators'
import {
  anyObject,
  created,
  describeRoutes,
  instant,
  listOf,
  noContent,
  nullable,
  object,
  ok,
  orNull,
  pages,
  text,
  texts,
  yesNo,
} from '#openapi/describe'

const used = { created_at: instant, last_used_at: orNull(instant) }
const details = {
  id: text,
  ...nullable('name'),
  abilities: listOf(text),
  ...used,
  expires_at: orNull(instant),
}

const tokens = ok(
  'The API tokens of the caller',
  object({ tokens: listOf(object({ ...details, ...nullable('context_name') })) })
)
const create = created(
  'Make an API token; its plain text is in this answer alone',
  object({ token: text, ...details }),
  { body: apiTokenValidator, example: { name: 'A script', abilities: ['posts:read'] } }
)
const revoke = noContent('Revoke an API token')

/** start/api_token.ts */
const apiTokens = describeRoutes('API tokens', {
  'GET /account/tokens': tokens,
  'POST /account/tokens': create,
  'POST /account/tokens/:id/revoke': revoke,
  'GET /api/tokens': tokens,
  'POST /api/tokens': create,
  'DELETE /api/tokens/:id': revoke,
})

const app = object({
  ...texts('id', 'client_id', 'client_name'),
  ...nullable('client_host', 'redirect_host', 'resource', 'context_name'),
  scopes: listOf(text),
  context: orNull(anyObject),
  ...used,
})

const token = object({
  jti: text,
  ...nullable('name', 'context_name'),
  scopes: listOf(text),
  revoked: yesNo,
  expires_at: instant,
  ...used,
})

const apps = ok('The clients that act for the caller', object({ connected_apps: listOf(app) }))
const disconnect = noContent('Disconnect a client')

/** start/oauth2.ts */
const connectedApps = describeRoutes('Connected apps', {
  ...pages('POST /account/access-tokens', 'POST /account/access-tokens/:jti/revoke'),
  'GET /account/access-tokens': ok('The personal access tokens of the caller', listOf(token)),
  'GET /account/connected-apps': apps,
  'POST /account/connected-apps/:id/disconnect': disconnect,
  'DELETE /account/connected-apps/:id': disconnect,
  'GET /api/connected-apps': apps,
  'DELETE /api/connected-apps/:id': disconnect,
})

export default [apiTokens, connectedApps]
