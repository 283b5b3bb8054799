/*
|--------------------------------------------------------------------------
| API tokens
|--------------------------------------------------------------------------
|
| People make and revoke their own API tokens, on a page or as JSON.
|
*/

import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'

import { middleware } from '#start/kernel'

const ApiTokens = () => import('adonis-auth-kit/api_token/controllers/api_tokens_controller')

const auth = await app.container.make('auth_manager')
if (auth.feature('sessions') && auth.feature('apiTokens')) {
  router
    .group(() => {
      const tokens = '/account/tokens'
      router.get(tokens, [ApiTokens, 'index']).as('account.tokens').use(middleware.confirmed())
      router
        .post(tokens, [ApiTokens, 'store'])
        .as('account.tokens.store')
        .use(middleware.confirmed())
      router
        .post(`${tokens}/:id/revoke`, [ApiTokens, 'destroy'])
        .as('account.tokens.destroy')
        .use(middleware.sure('tokens.revoke'))
      router.get('/api/tokens', [ApiTokens, 'index']).as('tokens.index')
      router
        .post('/api/tokens', [ApiTokens, 'store'])
        .as('tokens.store')
        .use(middleware.confirmed())
      router.delete('/api/tokens/:id', [ApiTokens, 'destroy']).as('tokens.destroy')
    })
    .use(middleware.auth({ guards: ['web'] }))
}
