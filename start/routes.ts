/*
|--------------------------------------------------------------------------
| Routes file
|--------------------------------------------------------------------------
|
| Routes of the application. Features mount their own routes in their providers.
|
*/

import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'

import postsConfig from '#config/posts'
import { controllers } from '#generated/controllers'
import { AuthorizationServer } from 'adonis-auth-kit/oauth2/authorization_server'
import { middleware } from '#start/kernel'
import { csrfExempt } from 'adonis-auth-kit/support/route_marks'
import { passkeyRoutes } from '#start/passkeys'
import { postRoutes } from '#start/posts'
import { twoFactorRoutes } from '#start/two_factor'

/*
| Reference routes: three fixed answers. The status is set, because AdonisJS
| answers 204 for an empty body.
*/
router.get('/', [controllers.Start, 'show'])
router
  .get('/user/:id', ({ params, response }) =>
    response.header('content-type', 'text/plain; charset=utf-8').send(params.id)
  )
  .as('user')
router.post('/user', ({ response }) => response.ok(''))

router.get('/health', [controllers.Health, 'show'])
router.get('/health/ready', [controllers.Health, 'show']).as('health.ready')
router.get('/health/live', [controllers.Health, 'live'])

/*
| Accounts: pages for people, JSON for programs. They need the sessions feature.
*/
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

  if (auth.feature('twoFactor')) {
    twoFactorRoutes()
  }
  if (auth.feature('passkeys')) {
    passkeyRoutes()
  }

  if (auth.feature('securityLog')) {
    router.get('/account/security', [controllers.account.Security, 'index']).use(middleware.auth())
  }

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

  if (auth.feature('emailVerification')) {
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

  if (auth.feature('apiTokens')) {
    router
      .group(() => {
        const tokens = '/account/tokens'
        router
          .get(tokens, [controllers.account.ApiTokens, 'index'])
          .as('account.tokens')
          .use(middleware.confirmed())
        router
          .post(tokens, [controllers.account.ApiTokens, 'store'])
          .as('account.tokens.store')
          .use(middleware.confirmed())
        router
          .post(`${tokens}/:id/revoke`, [controllers.account.ApiTokens, 'destroy'])
          .as('account.tokens.destroy')
          .use(middleware.sure('tokens.revoke'))
        router.get('/api/tokens', [controllers.account.ApiTokens, 'index']).as('tokens.index')
        router
          .post('/api/tokens', [controllers.account.ApiTokens, 'store'])
          .as('tokens.store')
          .use(middleware.confirmed())
        router
          .delete('/api/tokens/:id', [controllers.account.ApiTokens, 'destroy'])
          .as('tokens.destroy')
      })
      .use(middleware.auth({ guards: ['web'] }))
  }

  if (app.container.hasBinding(AuthorizationServer)) {
    router
      .group(() => {
        const { AccessTokens } = controllers.account
        router.get('/', [AccessTokens, 'index']).use(middleware.confirmed())
        router.post('/', [AccessTokens, 'store']).use(middleware.confirmed())
        router.post('/:jti/revoke', [AccessTokens, 'destroy']).use(middleware.sure('tokens.revoke'))
      })
      .prefix('/account/access-tokens')
      .as('account.access_tokens')
      .use(middleware.auth({ guards: ['web'] }))
  }

  if (auth.feature('connectedApps')) {
    router
      .group(() => {
        const apps = '/account/connected-apps'
        const Apps = controllers.account.ConnectedApps
        router.get(apps, [Apps, 'index']).as('account.connected_apps')
        router
          .post(`${apps}/:id/disconnect`, [Apps, 'destroy'])
          .as('account.connected_apps.end')
          .use(middleware.sure('apps.disconnect'))
        router.delete(`${apps}/:id`, [Apps, 'destroy']).as('account.connected_apps.destroy')
        router.get('/api/connected-apps', [Apps, 'index']).as('connected_apps.index')
        router.delete('/api/connected-apps/:id', [Apps, 'destroy']).as('connected_apps.destroy')
      })
      .use(middleware.auth({ guards: ['web'] }))
  }
}

/* What browsers ask for beside the pages. */
router.get('/favicon.svg', [controllers.Site, 'icon'])
router.get('/favicon.ico', ({ response }) => response.redirect().status(301).toPath('/favicon.svg'))
router.get('/manifest.webmanifest', [controllers.Site, 'manifest'])

/* The example as pages. */
router.get('/posts', [controllers.PostPages, 'index'])
router.get('/posts/:id', [controllers.PostPages, 'show'])

router.get('/docs/:name', [controllers.Documentation, 'show'])

router
  .group(() => {
    router.get('/me', [controllers.Me, 'show'])
  })
  .prefix('/api')
  .use(middleware.auth({ guards: ['web', 'api', 'oauth'] }))

postRoutes(postsConfig).prefix('/api')
