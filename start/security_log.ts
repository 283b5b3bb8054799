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

import { middleware } from '#start/kernel'

const Security = () => import('adonis-auth-kit/security_log/controllers/security_controller')

const auth = await app.container.make('auth_manager')
if (auth.feature('sessions') && auth.feature('securityLog')) {
  router.get('/account/security', [Security, 'index']).use(middleware.auth())
}
