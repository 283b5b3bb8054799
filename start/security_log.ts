/*
|--------------------------------------------------------------------------
| Security log
|--------------------------------------------------------------------------
|
| The page where people see what happened to their account.
|
*/

import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'

import { controllers } from '#generated/controllers'
import { middleware } from '#start/kernel'

const auth = await app.container.make('auth_manager')
if (auth.feature('sessions') && auth.feature('securityLog')) {
  router.get('/account/security', [controllers.account.Security, 'index']).use(middleware.auth())
}
