/*
|--------------------------------------------------------------------------
| MCP servers
|--------------------------------------------------------------------------
|
| Where the application's MCP servers are mounted. A mount is a route group:
| `.use(...)` gives it middleware. A protected mount accepts access tokens that
| are bound to its URL; an optional one also accepts anonymous callers, for what
| needs no scopes of its own.
|
*/

import app from '@adonisjs/core/services/app'
import edge from 'edge.js'

import { appUrl } from '#config/app'
import { mountServer } from 'adonis-auth-kit/mcp'
import { middleware } from '#start/kernel'

if (app.container.hasBinding('mcp')) {
  const mcp = await app.container.make('mcp')
  edge.global('mcpUrls', () => mcp.mounts.map(({ pattern }) => new URL(pattern, appUrl).href))
  /* Those that connect by the address alone, and those that do not. */
  edge.global('mcpClients', () => (app.inProduction ? null : mcp.knownClients))

  // feature: posts
  const auth = await app.container.make('auth_manager')
  const blog = mountServer('/mcp', () => import('#mcp/servers/blog_server'))
  // feature: oauth2
  if (auth.feature('protectedResources')) {
    blog.protect({ scopes: ['mcp:use'], optional: true })
  }
  // /feature
  // feature: api_token
  /* Without the OAuth server API tokens are accepted. */
  if (!auth.feature('protectedResources')) {
    blog.use(middleware.optionalAuth({ guards: ['api'] }))
  }
  // /feature
  // feature: workspaces
  if (auth.feature('workspaces')) {
    blog.use(middleware.workspace({ optional: true }))
  }
  // /feature
  // /feature

  // feature: oauth2
  mountServer('/mcp/account', () => import('#mcp/servers/account_server')).protect({
    scopes: ['account:read'],
  })
  // /feature
}
