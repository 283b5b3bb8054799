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

import { mountServer } from '#mcp/server'

mountServer('/mcp', () => import('#mcp/servers/blog_server')).protect({
  scopes: ['mcp:use'],
  optional: true,
})

mountServer('/mcp/account', () => import('#mcp/servers/account_server')).protect({
  scopes: ['account:read'],
})
