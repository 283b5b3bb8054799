/*
|--------------------------------------------------------------------------
| Signing in through others
|--------------------------------------------------------------------------
|
| Each way begins with a form, so that no other site can begin it, and ends where
| the provider sends the browser back to.
|
*/

import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'

import { controllers } from '#generated/controllers'
import { middleware } from '#start/kernel'
import { csrfExempt } from 'adonis-auth-kit/http'

const auth = await app.container.make('auth_manager')
if (auth.feature('sessions') && auth.feature('emailVerification') && auth.feature('social')) {
  const { SocialLogin } = controllers
  router
    .group(() => {
      router.get('/address', [SocialLogin, 'address'])
      router.post('/:name', [SocialLogin, 'store'])
      router.get('/:name/callback', [SocialLogin, 'callback'])
      router.post('/:name/callback', [SocialLogin, 'callbackForm']).use(csrfExempt)
    })
    .prefix('/auth')
    .as('social')

  router
    .post('/confirm/social/:name', [SocialLogin, 'confirm'])
    .as('confirm.social')
    .use(middleware.auth())

  router
    .group(() => {
      const { SignInMethods } = controllers.account
      router.get('/', [SignInMethods, 'index'])
      router.get('/join', [SignInMethods, 'confirmJoin'])
      router.post('/join', [SignInMethods, 'join'])
      router.post('/link/:name', [SocialLogin, 'link']).as('link')
      router
        .post('/:id/remove', [SignInMethods, 'destroy'])
        .as('remove')
        .use(middleware.sure('sign_in_methods.disconnect'))
      router.delete('/:id', [SignInMethods, 'destroy'])
    })
    .prefix('/account/sign-in-methods')
    .as('account.sign_in_methods')
    .use([middleware.auth(), middleware.confirmed()])
}
