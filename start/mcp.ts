/*
|--------------------------------------------------------------------------
| MCP servers
|--------------------------------------------------------------------------
|
| Where the application's MCP servers are mounted. McpProvider loads this
| file. A mount is a route group: `.use(...)` gives it middleware. A protected
| mount accepts access tokens that are bound to its URL; an optional one also
| accepts anonymous callers, for what needs no scopes of its own.
|
*/

import app from '@adonisjs/core/services/app'

import { mountServer } from 'adonis-auth-kit/mcp/server'
import { middleware } from '#start/kernel'

const auth = await app.container.make('auth_manager')
const blog = mountServer('/mcp', () => import('#mcp/servers/blog_server'))
if (auth.feature('protectedResources')) {
  blog.protect({ scopes: ['mcp:use'], optional: true })
} else {
  /* Without the OAuth server API tokens are accepted. */
  blog.use(middleware.optionalAuth({ guards: ['api'] }))
}

mountServer('/mcp/account', () => import('#mcp/servers/account_server')).protect({
  scopes: ['account:read'],
})
