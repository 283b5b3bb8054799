import {
  anyObject,
  constant,
  describeRoutes,
  listOf,
  ok,
  oneOf,
  open,
  orNull,
  pages,
  text,
  type Descriptions,
} from '#openapi/describe'
import type { McpManager } from '#mcp/manager'
import type { Protection } from '#mcp/protection'

const PROTECTED_RESOURCE = ok(
  'The metadata of a protected resource (RFC 9728)',
  open(['resource'], { resource: text, authorization_servers: listOf(text) })
)
const MESSAGE = open(['jsonrpc'], { jsonrpc: constant('2.0') })

/** Errors are messages too, or refusals of tokens. */
const REFUSAL = { type: 'object', properties: { error: orNull(oneOf(text, anyObject)) } }
const REFUSED_WITH = [400, 401, 403, 404, 405, 406, 413, 415, 429, 500, 503]
const REFUSALS = Object.fromEntries(REFUSED_WITH.map((code) => [code, REFUSAL]))

/** Other methods of a mount are refused. */
const REFUSED = ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * MCP servers, by where they are mounted: messages have a specification of their own.
 * @param oauthGuards names of the guards of access tokens
 */
export function mcpRoutes(mounts: McpManager['mounts'], oauthGuards: readonly string[]) {
  const routes: Descriptions = {
    'GET /.well-known/oauth-protected-resource': PROTECTED_RESOURCE,
    'GET /.well-known/oauth-protected-resource/*': PROTECTED_RESOURCE,
    ...pages('GET /mcp/questions/:handle', 'POST /mcp/questions/:handle'),
    ...pages('POST /mcp/questions/:handle/decline'),
  }
  for (const { pattern, isProtected, protection } of mounts) {
    Object.assign(routes, pages(...REFUSED.map((method) => `${method} ${pattern}`)))
    routes[`POST ${pattern}`] = {
      summary: 'A message of the Model Context Protocol (JSON-RPC 2.0)',
      body: anyObject,
      example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      ...(isProtected && { security: securityOf(protection!, oauthGuards) }),
      answers: { 200: oneOf(MESSAGE, listOf(MESSAGE)), 202: null, ...REFUSALS },
    }
  }
  return describeRoutes('MCP', routes)
}

/** Who may call a mount by its `protect`. */
const securityOf = ({ scopes, guards, optional }: Protection, oauthGuards: readonly string[]) => [
  ...oauthGuards.map((name) => ({ [name]: scopes })),
  ...guards.filter((name) => !oauthGuards.includes(name)).map((name) => ({ [name]: [] })),
  ...(optional ? [{}] : []),
]
