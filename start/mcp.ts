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

import AccountServer from '#mcp/servers/account_server'
import BlogServer from '#mcp/servers/blog_server'

BlogServer.router('/mcp').protect({ scopes: ['mcp:use'], optional: true })

AccountServer.router('/mcp/account').protect({ scopes: ['account:read'] })
