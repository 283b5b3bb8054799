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

import { controllers } from '#generated/controllers'
import { middleware } from '#start/kernel'

const auth = await app.container.make('auth_manager')
if (auth.feature('sessions') && auth.feature('apiTokens')) {
  router
    .group(() => {
      const tokens = '/account/tokens'
      router
        .get(tokens, [controllers.account.ApiTokens, 'index'])
        .as('account.tokens')
        .use(middleware.confirmed())
      router
        .post(tokens, [controllers.account.ApiTokens, 'store'])
        .as('account.tokens.store')
        .use(middleware.confirmed())
      router
        .post(`${tokens}/:id/revoke`, [controllers.account.ApiTokens, 'destroy'])
        .as('account.tokens.destroy')
        .use(middleware.sure('tokens.revoke'))
      router.get('/api/tokens', [controllers.account.ApiTokens, 'index']).as('tokens.index')
      router
        .post('/api/tokens', [controllers.account.ApiTokens, 'store'])
        .as('tokens.store')
        .use(middleware.confirmed())
      router
        .delete('/api/tokens/:id', [controllers.account.ApiTokens, 'destroy'])
        .as('tokens.destroy')
    })
    .use(middleware.auth({ guards: ['web'] }))
}
