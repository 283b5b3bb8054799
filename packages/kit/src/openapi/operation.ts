import { clientEndpoint, isMarked, namedMiddleware } from '#http/route_marks'
import { contentType } from '#json_api/media_types'
import { oauthEndpoint } from '#oauth2/protocol_error'
import { type ErrorName, errorReferences } from '#openapi/error_documents'
import { type JsonApiRoutes, jsonApiOptions, parameter } from '#openapi/json_api_routes'
import { requestBody } from '#openapi/request_body'
import { type Access, type SecuritySources, accessTo } from '#openapi/security'
import type { KnownRoute, Operation, RouteDescription, Schema } from '#openapi/describe'

/** Middleware that refuses callers who are known, and what it asks for. */
const CONDITIONS: Record<string, string> = {
  confirmed: 'Needs a recent confirmation of the session: `POST /confirm`.',
  sure: 'Asks a person in a browser to confirm.',
  verified: 'Needs a verified e-mail address.',
}

const PARAMETER = /:(\w+)\??/g

export const pathOf = (pattern: string) =>
  pattern.replace(PARAMETER, '{$1}').replace(/\*$/, '{path}')

export function operationOf(
  known: KnownRoute,
  { title, description }: { title: string; description: RouteDescription },
  jsonApi: JsonApiRoutes,
  sources: SecuritySources
): Operation {
  const options = jsonApiOptions(known)
  const type = options ? contentType(null, options.extension) : undefined
  const access = accessTo(known, description, sources)
  const body = requestBody(description, type)
  const parameters = [
    ...pathParameters(known.pattern),
    ...Object.entries(description.query ?? {}).map(([name, schema]) => parameter(name, schema)),
    ...(options ? jsonApi.parameters(known, options) : []),
  ]
  const conditions = [...namedMiddleware(known.route).keys()].flatMap(
    (name) => CONDITIONS[name] ?? []
  )
  return {
    operationId: operationId(known),
    tags: [title],
    summary: description.summary,
    ...(conditions.length && { description: conditions.join(' ') }),
    ...(parameters.length && { parameters }),
    ...(body && { requestBody: body }),
    ...(access.security && { security: access.security }),
    responses: {
      ...errorReferences(errorsOf(known, access, { description, conditions }), options !== null),
      ...answers(description, type),
    },
  }
}

function answers({ answers: given = { 200: null }, type: own }: RouteDescription, type?: string) {
  return Object.fromEntries(
    Object.entries(given).map(([status, schema]) => [
      status,
      {
        description: Number(status) < 400 ? 'Done' : 'Refused',
        ...(schema && { content: { [own ?? type ?? 'application/json']: { schema } } }),
      },
    ])
  )
}

/** Endpoints of OAuth refuse parameters with 400, and clients with 401 (RFC 6749 §5.2). */
function errorsOf(
  { route }: KnownRoute,
  { isProtected, needsCsrf, security }: Access,
  { description, conditions }: { description: RouteDescription; conditions: readonly string[] }
): ErrorName[] {
  const { body, form } = description
  const isOAuth = isMarked(route, oauthEndpoint)
  const isForClients = isOAuth && isMarked(route, clientEndpoint)
  const hasScopes = security?.some((one) => Object.values(one).some((scopes) => scopes.length))
  return [
    ...(isProtected || isForClients ? ['Unauthenticated' as const] : []),
    ...(needsCsrf || hasScopes || conditions.length ? ['Forbidden' as const] : []),
    ...(body ? [form || isOAuth ? ('Malformed' as const) : ('Invalid' as const)] : []),
    'TooMany',
    'Unavailable',
    'Failure',
  ]
}

function pathParameters(pattern: string): Schema[] {
  const names = [...pattern.matchAll(PARAMETER)].map(([, name]) => name!)
  const all = pattern.endsWith('*') ? [...names, 'path'] : names
  return all.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
}

/** Names of functions in generated clients: one for each method and path. */
function operationId({ method, pattern }: KnownRoute): string {
  const words = pattern.replace(/\*$/, 'path').match(/[a-z0-9]+/gi) ?? ['root']
  const name = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
  return method.toLowerCase() + name
}
