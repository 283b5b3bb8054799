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
import router from '@adonisjs/core/services/router'

import { mountServer } from 'adonis-auth-kit/mcp'
import { middleware } from '#start/kernel'

const Questions = () => import('adonis-auth-kit/mcp/controllers/questions_controller')

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

  /* Where people answer tools whose `olderClients` is "visit": by their session, never by a client's token. */
  const accounts = await app.container.make('auth_manager')
  if (accounts.feature('sessions')) {
    router
      .group(() => {
        router.get('/:handle', [Questions, 'show']).as('show')
        router.post('/:handle', [Questions, 'accept']).as('accept')
        router.post('/:handle/decline', [Questions, 'decline']).as('decline')
      })
      .prefix('/mcp/questions')
      .as('mcp.questions')
      .use(middleware.auth({ guards: ['web'] }))
  }
}
