/*
|--------------------------------------------------------------------------
| Passkeys
|--------------------------------------------------------------------------
|
| Signing in and confirming with a passkey, and the page of the account. The
| browser asks for options as a program does, and sends its answer as a form.
|
*/

import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'

import { controllers } from '#generated/controllers'
import { middleware } from '#start/kernel'

const auth = await app.container.make('auth_manager')
if (auth.feature('sessions') && auth.feature('passkeys')) {
  router.post('/login/passkey/options', [controllers.PasskeyLogin, 'options'])
  router.post('/login/passkey', [controllers.PasskeyLogin, 'store'])

  router
    .group(() => {
      router.post('/options', [controllers.PasskeyConfirmation, 'options'])
      router.post('/', [controllers.PasskeyConfirmation, 'store'])
    })
    .prefix('/confirm/passkey')
    .as('confirm.passkey')
    .use(middleware.auth())

  router
    .group(() => {
      router.get('/', [controllers.account.Passkeys, 'index'])
      router.post('/', [controllers.account.Passkeys, 'store'])
      router.post('/options', [controllers.account.Passkeys, 'options'])
      router.post('/:id', [controllers.account.Passkeys, 'update'])
      router
        .post('/:id/remove', [controllers.account.Passkeys, 'destroy'])
        .as('remove')
        .use(middleware.sure('passkeys.remove'))
      router.delete('/:id', [controllers.account.Passkeys, 'destroy'])
    })
    .prefix('/account/passkeys')
    .as('account.passkeys')
    .use([middleware.auth(), middleware.confirmed()])
}
