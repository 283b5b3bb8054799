/*
|--------------------------------------------------------------------------
| Second factor
|--------------------------------------------------------------------------
|
| The step of a login after the password, and the pages of the account. Pages
| for people, JSON for programs.
|
*/

import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'

import { controllers } from '#generated/controllers'
import { middleware } from '#start/kernel'

const HOME = '/account/two-factor'

const auth = await app.container.make('auth_manager')
if (auth.feature('sessions') && auth.feature('twoFactor')) {
  router.get('/login/two-factor', [controllers.TwoFactorLogin, 'create']).use(middleware.guest())
  router.post('/login/two-factor', [controllers.TwoFactorLogin, 'store'])

  router
    .group(() => {
      router.get('/', [controllers.account.TwoFactor, 'show'])
      router.post('/', [controllers.account.TwoFactor, 'store'])
      router.get('/setup', [controllers.account.TwoFactor, 'edit'])
      router.post('/enable', [controllers.account.TwoFactor, 'enable'])
      router.get('/recovery-codes', [controllers.account.TwoFactor, 'codes'])
      router
        .post('/recovery-codes', [controllers.account.TwoFactor, 'renew'])
        .use(middleware.sure('two_factor.renew'))
      router
        .post('/disable', [controllers.account.TwoFactor, 'destroy'])
        .use(middleware.sure('two_factor.disable'))
    })
    .prefix(HOME)
    .as('account.two_factor')
    .use([middleware.auth(), middleware.confirmed()])
}
