/*
|--------------------------------------------------------------------------
| OAuth
|--------------------------------------------------------------------------
|
| Access tokens that people make for themselves, and the apps that they have let
| in. The endpoints of the authorization server are mounted by
| AuthOAuth2Provider.
|
*/

import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'
import edge from 'edge.js'

import { middleware } from '#start/kernel'

const AccessTokens = () => import('adonis-auth-kit/oauth2/controllers/access_tokens_controller')
const Apps = () => import('adonis-auth-kit/oauth2/controllers/connected_apps_controller')

const auth = await app.container.make('auth_manager')
edge.global('hasOAuth', auth.feature('connectedApps') !== undefined)
if (auth.feature('sessions') && auth.feature('connectedApps')) {
  router
    .group(() => {
      router.get('/', [AccessTokens, 'index']).use(middleware.confirmed())
      router.post('/', [AccessTokens, 'store']).use(middleware.confirmed())
      router.post('/:jti/revoke', [AccessTokens, 'destroy']).use(middleware.sure('tokens.revoke'))
    })
    .prefix('/account/access-tokens')
    .as('account.access_tokens')
    .use(middleware.auth({ guards: ['web'] }))

  router
    .group(() => {
      const apps = '/account/connected-apps'
      router.get(apps, [Apps, 'index']).as('account.connected_apps')
      router
        .post(`${apps}/:id/disconnect`, [Apps, 'destroy'])
        .as('account.connected_apps.end')
        .use(middleware.sure('apps.disconnect'))
      router.delete(`${apps}/:id`, [Apps, 'destroy']).as('account.connected_apps.destroy')
      router.get('/api/connected-apps', [Apps, 'index']).as('connected_apps.index')
      router.delete('/api/connected-apps/:id', [Apps, 'destroy']).as('connected_apps.destroy')
    })
    .use(middleware.auth({ guards: ['web'] }))
}
