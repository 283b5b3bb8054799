import { anyObject, describeRoutes, listOf, oneOf, orNull, PAGE, text } from '#openapi/describe'
import type { Descriptions, Schema } from '#openapi/types'

const PROTECTED_RESOURCE = {
  summary: 'The metadata of a protected resource (RFC 9728)',
  answers: {
    200: {
      type: 'object',
      properties: { resource: text, authorization_servers: listOf(text) },
      required: ['resource'],
    },
  },
}

const MESSAGE: Schema = {
  type: 'object',
  properties: { jsonrpc: { const: '2.0' } },
  required: ['jsonrpc'],
}

/** Other methods of a mount are refused. */
const REFUSED = ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** MCP servers, by where they are mounted: messages have a specification of their own. */
export function mcpRoutes(patterns: readonly string[]) {
  const routes: Descriptions = {
    'GET /.well-known/oauth-protected-resource': PROTECTED_RESOURCE,
    'GET /.well-known/oauth-protected-resource/*': PROTECTED_RESOURCE,
  }
  for (const pattern of patterns) {
    REFUSED.forEach((method) => (routes[`${method} ${pattern}`] = PAGE))
    routes[`POST ${pattern}`] = {
      summary: 'A message of the Model Context Protocol (JSON-RPC 2.0)',
      body: anyObject,
      answers: { 200: oneOf(MESSAGE, listOf(MESSAGE)), 202: null, ...errors() },
    }
  }
  return describeRoutes('MCP', routes)
}

/** Errors are messages too, or refusals of tokens. */
function errors(): Record<number, Schema> {
  const refusal = { type: 'object', properties: { error: orNull(oneOf(text, anyObject)) } }
  return Object.fromEntries(
    [400, 401, 403, 404, 405, 406, 413, 415, 429, 500, 503].map((status) => [status, refusal])
  )
}
