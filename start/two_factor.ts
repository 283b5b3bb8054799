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

import { middleware } from '#start/kernel'

const TwoFactor = () => import('adonis-auth-kit/two_factor/controllers/two_factor_controller')
const TwoFactorLogin = () =>
  import('adonis-auth-kit/two_factor/controllers/two_factor_login_controller')

const HOME = '/account/two-factor'

const auth = await app.container.make('auth_manager')
if (auth.feature('sessions') && auth.feature('twoFactor')) {
  router.get('/login/two-factor', [TwoFactorLogin, 'create']).use(middleware.guest())
  router.post('/login/two-factor', [TwoFactorLogin, 'store'])

  router
    .group(() => {
      router.get('/', [TwoFactor, 'show'])
      router.post('/', [TwoFactor, 'store'])
      router.get('/setup', [TwoFactor, 'edit'])
      router.post('/enable', [TwoFactor, 'enable'])
      router.get('/recovery-codes', [TwoFactor, 'codes'])
      router.post('/recovery-codes', [TwoFactor, 'renew']).use(middleware.sure('two_factor.renew'))
      router.post('/disable', [TwoFactor, 'destroy']).use(middleware.sure('two_factor.disable'))
    })
    .prefix(HOME)
    .as('account.two_factor')
    .use([middleware.auth(), middleware.confirmed()])
}
