import {
  anyObject,
  constant,
  describeRoutes,
  listOf,
  object,
  orNull,
  PAGE,
  text,
} from 'adonis-auth-kit/openapi'
import { user } from '#start/openapi/shapes'

const status = { enum: ['ok', 'warning', 'error'] }
const report = object({ status, checks: listOf(object({ name: text, status })) })
const health = { summary: 'Whether it can take requests', answers: { 200: report, 503: report } }

/** What every application has: start/routes.ts. */
export default describeRoutes('Application', {
  'GET /': PAGE,
  'GET /user/:id': PAGE,
  'POST /user': PAGE,
  'GET /docs/:name': PAGE,
  'GET /favicon.svg': PAGE,
  'GET /favicon.ico': PAGE,
  'GET /manifest.webmanifest': PAGE,
  'GET /health': health,
  'GET /health/ready': health,
  'GET /health/live': {
    summary: 'Whether it runs',
    answers: { 200: object({ status: constant('ok') }, { arrival: anyObject }) },
  },
  'GET /api/me': {
    summary: 'Who is calling, and what it may do',
    answers: {
      200: object({ user, guard: text, scopes: listOf(text), client_id: orNull(text) }),
    },
  },
})
