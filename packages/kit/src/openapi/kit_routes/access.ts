import { apiTokenValidator } from '#api_token/validators'
import {
  anyObject,
  created,
  describeRoutes,
  instant,
  listOf,
  noContent,
  object,
  ok,
  orNull,
  PAGE,
  text,
  yesNo,
} from '#openapi/describe'

const details = {
  id: text,
  name: orNull(text),
  abilities: listOf(text),
  created_at: instant,
  last_used_at: orNull(instant),
  expires_at: orNull(instant),
}

const tokens = ok(
  'The API tokens of the caller',
  object({ tokens: listOf(object({ ...details, context_name: orNull(text) })) })
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
  id: text,
  client_id: text,
  client_name: text,
  client_host: orNull(text),
  redirect_host: orNull(text),
  resource: orNull(text),
  scopes: listOf(text),
  context: orNull(anyObject),
  context_name: orNull(text),
  created_at: instant,
  last_used_at: orNull(instant),
})

const token = object({
  jti: text,
  name: orNull(text),
  scopes: listOf(text),
  context_name: orNull(text),
  revoked: yesNo,
  created_at: instant,
  expires_at: instant,
  last_used_at: orNull(instant),
})

const apps = ok('The clients that act for the caller', object({ connected_apps: listOf(app) }))
const disconnect = noContent('Disconnect a client')

/** start/oauth2.ts */
const connectedApps = describeRoutes('Connected apps', {
  'GET /account/access-tokens': ok('The personal access tokens of the caller', listOf(token)),
  'POST /account/access-tokens': PAGE,
  'POST /account/access-tokens/:jti/revoke': PAGE,
  'GET /account/connected-apps': apps,
  'POST /account/connected-apps/:id/disconnect': disconnect,
  'DELETE /account/connected-apps/:id': disconnect,
  'GET /api/connected-apps': apps,
  'DELETE /api/connected-apps/:id': disconnect,
})

export default [apiTokens, connectedApps]
