/*
|--------------------------------------------------------------------------
| MCP servers
|--------------------------------------------------------------------------
|
| Where the application's MCP servers are mounted. McpProvider loads this
| file. A mount is a route group: `.use(...)` gives it middleware.
|
*/

import app from '@adonisjs/core/services/app'

import BlogServer from '#mcp/servers/blog_server'

BlogServer.router('/mcp')

/* What the conformance tool asks a server for. */
if (app.inTest) {
  const { default: ConformanceServer } = await import('#tests/fixtures/mcp/conformance_server')
  ConformanceServer.router('/mcp/conformance')
}
