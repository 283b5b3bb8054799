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

import { middleware } from '#start/kernel'

const Passkeys = () => import('adonis-auth-kit/passkeys/controllers/passkeys_controller')
const PasskeyLogin = () => import('adonis-auth-kit/passkeys/controllers/passkey_login_controller')
const PasskeyConfirmation = () =>
  import('adonis-auth-kit/passkeys/controllers/passkey_confirmation_controller')

const auth = await app.container.make('auth_manager')
if (auth.feature('sessions') && auth.feature('passkeys')) {
  router.post('/login/passkey/options', [PasskeyLogin, 'options'])
  router.post('/login/passkey', [PasskeyLogin, 'store'])

  router
    .group(() => {
      router.post('/options', [PasskeyConfirmation, 'options'])
      router.post('/', [PasskeyConfirmation, 'store'])
    })
    .prefix('/confirm/passkey')
    .as('confirm.passkey')
    .use(middleware.auth())

  router
    .group(() => {
      router.get('/', [Passkeys, 'index'])
      router.post('/', [Passkeys, 'store'])
      router.post('/options', [Passkeys, 'options'])
      router.post('/:id', [Passkeys, 'update'])
      router
        .post('/:id/remove', [Passkeys, 'destroy'])
        .as('remove')
        .use(middleware.sure('passkeys.remove'))
      router.delete('/:id', [Passkeys, 'destroy'])
    })
    .prefix('/account/passkeys')
    .as('account.passkeys')
    .use([middleware.auth(), middleware.confirmed()])
}
