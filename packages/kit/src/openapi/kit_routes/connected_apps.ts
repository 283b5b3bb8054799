import {
  anyObject,
  describeRoutes,
  instant,
  listOf,
  object,
  orNull,
  PAGE,
  text,
  yesNo,
} from '#openapi/describe'

const list = {
  summary: 'The clients that act for the caller',
  answers: {
    200: object({
      connected_apps: listOf(
        object({
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
      ),
    }),
  },
}
const disconnect = { summary: 'Disconnect a client', answers: { 204: null } }

/** start/oauth2.ts */
export default describeRoutes('Connected apps', {
  'GET /account/access-tokens': {
    summary: 'The personal access tokens of the caller',
    answers: {
      200: listOf(
        object({
          jti: text,
          name: orNull(text),
          scopes: listOf(text),
          context_name: orNull(text),
          revoked: yesNo,
          created_at: instant,
          expires_at: instant,
          last_used_at: orNull(instant),
        })
      ),
    },
  },
  'POST /account/access-tokens': PAGE,
  'POST /account/access-tokens/:jti/revoke': PAGE,
  'GET /account/connected-apps': list,
  'POST /account/connected-apps/:id/disconnect': disconnect,
  'DELETE /account/connected-apps/:id': disconnect,
  'GET /api/connected-apps': list,
  'DELETE /api/connected-apps/:id': disconnect,
})
