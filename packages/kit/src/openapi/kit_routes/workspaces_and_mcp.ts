import type { McpManager } from '#mcp/manager'
import type { Protection } from '#mcp/protection'
import { created, describeRoutes, noContent, ok, pages, type Descriptions } from '#openapi/describe'
import * as s from '#openapi/schemas'
import {
  choiceValidator,
  enforcementValidator,
  invitationValidator,
  providerValidator,
  roleValidator,
  transferValidator,
  workspaceValidator,
} from '#workspaces/validators'

const workspace = { id: s.key, slug: s.text, name: s.text }
const own = { ...workspace, role: s.orNull(s.text), personal: s.yesNo }
const listed = s.object({ ...own, current: s.yesNo, deleted_at: s.orNull(s.instant) })
const invitation = s.object({ id: s.key, email: s.text, role: s.text, expires_at: s.instant })
const invited = s.object({ workspace: s.object({ name: s.text }) })
const log = s.object({ events: s.listOf(s.anyObject) })
const provider = s.object({
  id: s.key,
  ...s.texts('name', 'domain', 'issuer', 'client_id', 'redirect_uri', 'backchannel_logout_uri'),
  verified: s.yesNo,
  forbids_password: s.yesNo,
  txt_record: s.object(s.texts('name', 'value')),
  created_at: s.instant,
})
const providers = s.object({ providers: s.listOf(provider) })

/** start/workspaces.ts */
export default describeRoutes('Workspaces', {
  'GET /workspaces': ok('The workspaces of the caller', s.object({ workspaces: s.listOf(listed) })),
  'POST /workspaces': created('Make a workspace', s.object(workspace), {
    body: workspaceValidator,
  }),
  'POST /workspaces/switch': ok(
    'Choose the workspace that the session works in',
    s.object({ current: s.orNull(s.text) }),
    { body: choiceValidator }
  ),
  'POST /workspaces/:id/restore': noContent('Bring a deleted workspace back'),
  'GET /invitations/:token': ok('What an invitation is for', invited),
  'POST /invitations/:token': noContent('Accept an invitation'),
  'GET /w/:slug': ok(
    'A workspace, its members and invitations',
    s.object({
      workspace: s.object(own),
      members: s.listOf(s.anyObject),
      invitations: s.listOf(invitation),
    })
  ),
  'POST /w/:slug': noContent('Rename the workspace', { body: workspaceValidator }),
  'GET /w/:slug/log': ok('What has happened in the workspace', log),
  'POST /w/:slug/leave': noContent('Leave the workspace'),
  'POST /w/:slug/transfer': noContent('Hand the workspace to another member', {
    body: transferValidator,
  }),
  'POST /w/:slug/delete': noContent('Delete the workspace'),
  'POST /w/:slug/members/:id': noContent('Change a role', { body: roleValidator }),
  'POST /w/:slug/members/:id/remove': noContent('Remove a member'),
  'POST /w/:slug/invitations': noContent('Invite somebody', { body: invitationValidator }),
  'POST /w/:slug/invitations/:id/revoke': noContent('Take an invitation back'),
  'GET /w/:slug/providers': ok('The identity providers of the workspace', providers),
  'POST /w/:slug/providers': created('Add an identity provider for a domain', provider, {
    body: providerValidator,
  }),
  'POST /w/:slug/providers/:id/verify': noContent(
    'Look for the TXT record that shows whose the domain is'
  ),
  'POST /w/:slug/providers/:id/enforce': noContent(
    'Forbid passwords for addresses of the domain, or allow them',
    { body: enforcementValidator }
  ),
  'POST /w/:slug/providers/:id/remove': noContent('Remove an identity provider'),
})

const PROTECTED_RESOURCE = ok(
  'The metadata of a protected resource (RFC 9728)',
  s.open(['resource'], { resource: s.text, authorization_servers: s.listOf(s.text) })
)
const MESSAGE = s.open(['jsonrpc'], { jsonrpc: s.constant('2.0') })

/** Errors are messages too, or refusals of tokens. */
const REFUSAL = { type: 'object', properties: { error: s.orNull(s.oneOf(s.text, s.anyObject)) } }
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
      body: s.anyObject,
      example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      ...(isProtected && { security: securityOf(protection!, oauthGuards) }),
      answers: { 200: s.oneOf(MESSAGE, s.listOf(MESSAGE)), 202: null, ...REFUSALS },
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
