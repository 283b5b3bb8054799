/*
|--------------------------------------------------------------------------
| MCP servers
|--------------------------------------------------------------------------
|
| Where the application's MCP servers are mounted. McpProvider loads this
| file. A mount is a route group: `.use(...)` gives it middleware.
|
*/

import BlogServer from '#mcp/servers/blog_server'

BlogServer.router('/mcp')
