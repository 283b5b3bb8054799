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

import { csrfExempt } from 'adonis-auth-kit/http'
import { controllers } from '#generated/controllers'
import { middleware } from '#start/kernel'

const Access = () => import('adonis-auth-kit/session/controllers/access_controller')
const Confirmation = () => import('adonis-auth-kit/session/controllers/confirmation_controller')
const Deletion = () => import('adonis-auth-kit/accounts/controllers/deletion_controller')
const Language = () => import('adonis-auth-kit/session/controllers/language_controller')
const MailPreview = () => import('adonis-auth-kit/accounts/controllers/mail_preview_controller')
const Password = () => import('adonis-auth-kit/session/controllers/password_controller')
const Sessions = () => import('adonis-auth-kit/session/controllers/sessions_controller')

const auth = await app.container.make('auth_manager')
if (auth.feature('sessions')) {
  router.get('/register', [controllers.NewAccount, 'create']).use(middleware.guest())
  router.post('/register', [controllers.NewAccount, 'store'])
  router.get('/login', [controllers.Session, 'create']).use(middleware.guest())
  router.post('/login', [controllers.Session, 'store'])
  router.post('/logout', [controllers.Session, 'destroy'])
  router.post('/language', [Language, 'store']).use(csrfExempt)
  router.get('/dev/mails', [MailPreview, 'index'])
  router.get('/dev/mails/:name', [MailPreview, 'show'])
  router.get('/.well-known/change-password', ({ response }) =>
    response.redirect().toRoute('account.password.edit')
  )
  router.get('/confirm', [Confirmation, 'create']).use(middleware.auth())
  router.post('/confirm', [Confirmation, 'store']).use(middleware.auth())
  router
    .group(() => {
      router.get('/', [controllers.account.Profile, 'show'])
      router.post('/', [controllers.account.Profile, 'update'])
      router.get('/password', [Password, 'edit'])
      router.post('/password', [Password, 'update'])
      router.get('/access', [Access, 'index'])
      router.post('/access/end', [Access, 'destroy']).as('access.end').use(middleware.confirmed())
      router.get('/delete', [Deletion, 'edit'])
      router.post('/delete', [Deletion, 'destroy'])
    })
    .prefix('/account')
    .as('account')
    .use(middleware.auth())

  router
    .group(() => {
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
