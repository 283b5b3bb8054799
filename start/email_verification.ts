/*
|--------------------------------------------------------------------------
| E-mail addresses
|--------------------------------------------------------------------------
|
| The page where people change their address. The links in mails are mounted by
| EmailVerificationProvider.
|
*/

import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'

import { middleware } from '#start/kernel'

const Email = () => import('adonis-auth-kit/email_verification/controllers/email_controller')

const auth = await app.container.make('auth_manager')
if (auth.feature('sessions') && auth.feature('emailVerification')) {
  router
    .group(() => {
      router.get('/', [Email, 'edit'])
      router.post('/', [Email, 'update'])
      router.post('/cancel', [Email, 'cancel'])
    })
    .prefix('/account/email')
    .as('account.email')
    .use(middleware.auth())
}
