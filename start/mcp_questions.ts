/*
|--------------------------------------------------------------------------
| Questions of MCP tools
|--------------------------------------------------------------------------
|
| Where people answer tools whose `olderClients` is "visit": by their session,
| never by a client's token.
|
*/

import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'

import { middleware } from '#start/kernel'

const Questions = () => import('adonis-auth-kit/mcp/controllers/questions_controller')

const auth = await app.container.make('auth_manager')
if (auth.feature('sessions') && app.container.hasBinding('mcp')) {
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
