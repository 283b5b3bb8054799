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

import { mountServer } from 'adonis-auth-kit/mcp'
import { middleware } from '#start/kernel'

if (app.container.hasBinding('mcp')) {
  // feature: posts
  const auth = await app.container.make('auth_manager')
  const blog = mountServer('/mcp', () => import('#mcp/servers/blog_server'))
  const isProtected = auth.feature('protectedResources') !== undefined
  // feature: oauth2
  if (isProtected) {
    blog.protect({ scopes: ['mcp:use'], optional: true })
  }
  // /feature
  // feature: api_token
  /* Without the OAuth server API tokens are accepted. */
  if (!isProtected) {
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
