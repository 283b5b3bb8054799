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

import { controllers } from '#generated/controllers'
import { middleware } from '#start/kernel'

const auth = await app.container.make('auth_manager')
if (auth.feature('sessions') && auth.feature('emailVerification')) {
  router
    .group(() => {
      router.get('/', [controllers.account.Email, 'edit'])
      router.post('/', [controllers.account.Email, 'update'])
      router.post('/cancel', [controllers.account.Email, 'cancel'])
    })
    .prefix('/account/email')
    .as('account.email')
    .use(middleware.auth())
}
