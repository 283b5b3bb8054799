/*
|--------------------------------------------------------------------------
| Accounts
|--------------------------------------------------------------------------
|
| Signing up, in and out, and the account of a person: pages for people, JSON
| for programs.
|
*/

import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'

import { csrfExempt } from 'adonis-auth-kit/http/route_marks'
import { controllers } from '#generated/controllers'
import { middleware } from '#start/kernel'

const auth = await app.container.make('auth_manager')
if (auth.feature('sessions')) {
  router.get('/register', [controllers.NewAccount, 'create']).use(middleware.guest())
  router.post('/register', [controllers.NewAccount, 'store'])
  router.get('/login', [controllers.Session, 'create']).use(middleware.guest())
  router.post('/login', [controllers.Session, 'store'])
  router.post('/logout', [controllers.Session, 'destroy'])
  router.post('/language', [controllers.Language, 'store']).use(csrfExempt)
  router.get('/dev/mails', [controllers.MailPreview, 'index'])
  router.get('/dev/mails/:name', [controllers.MailPreview, 'show'])
  router.get('/.well-known/change-password', ({ response }) =>
    response.redirect().toPath('/account/password')
  )
  router.get('/confirm', [controllers.Confirmation, 'create']).use(middleware.auth())
  router.post('/confirm', [controllers.Confirmation, 'store']).use(middleware.auth())
  router
    .group(() => {
      router.get('/', [controllers.account.Profile, 'show'])
      router.post('/', [controllers.account.Profile, 'update'])
      router.get('/password', [controllers.account.Password, 'edit'])
      router.post('/password', [controllers.account.Password, 'update'])
      router.get('/access', [controllers.account.Access, 'index'])
      router.post('/access/end', [controllers.account.Access, 'destroy']).as('access.end')
      router.get('/delete', [controllers.account.Deletion, 'edit'])
      router.post('/delete', [controllers.account.Deletion, 'destroy'])
    })
    .prefix('/account')
    .as('account')
    .use(middleware.auth())

  router
    .group(() => {
      const { Sessions } = controllers.account
      router.get('/', [Sessions, 'index'])
      router.delete('/', [Sessions, 'destroyOthers']).as('others')
      router
        .post('/end-others', [Sessions, 'destroyOthers'])
        .as('end_others')
        .use(middleware.sure('sessions.end_others'))
      router.delete('/:id', [Sessions, 'destroy']).as('one')
      router.post('/:id/end', [Sessions, 'destroy']).as('end_one')
    })
    .prefix('/account/sessions')
    .as('account.sessions')
    .use(middleware.auth({ guards: ['web'] }))
}
