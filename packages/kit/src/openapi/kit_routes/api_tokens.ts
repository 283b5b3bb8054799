import { describeRoutes, instant, listOf, object, orNull, text } from '#openapi/describe'
import { apiTokenValidator } from '#api_token/validators'

const details = {
  id: text,
  name: orNull(text),
  abilities: listOf(text),
  created_at: instant,
  last_used_at: orNull(instant),
  expires_at: orNull(instant),
}

const list = {
  summary: 'The API tokens of the caller',
  answers: { 200: object({ tokens: listOf(object({ ...details, context_name: orNull(text) })) }) },
}
const create = {
  summary: 'Make an API token; its plain text is in this answer alone',
  body: apiTokenValidator,
  answers: { 201: object({ token: text, ...details }) },
}
const revoke = { summary: 'Revoke an API token', answers: { 204: null } }

/** start/api_token.ts */
export default describeRoutes('API tokens', {
  'GET /account/tokens': list,
  'POST /account/tokens': create,
  'POST /account/tokens/:id/revoke': revoke,
  'GET /api/tokens': list,
  'POST /api/tokens': create,
  'DELETE /api/tokens/:id': revoke,
})
