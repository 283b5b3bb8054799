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
import { middleware } from '#start/kernel'
import { postRoutes } from '#start/posts'

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
  router
    .group(() => {
      router.get('/', [controllers.account.Profile, 'show'])
      router.post('/', [controllers.account.Profile, 'update'])
      router.get('/password', [controllers.account.Password, 'edit'])
      router.post('/password', [controllers.account.Password, 'update'])
      router.get('/delete', [controllers.account.Deletion, 'edit'])
      router.post('/delete', [controllers.account.Deletion, 'destroy'])
    })
    .prefix('/account')
    .as('account')
    .use(middleware.auth())

  if (auth.feature('apiTokens')) {
    router
      .group(() => {
        const tokens = '/account/tokens'
        router.get(tokens, [controllers.account.ApiTokens, 'index']).as('account.tokens')
        router.post(tokens, [controllers.account.ApiTokens, 'store']).as('account.tokens.store')
        router
          .post(`${tokens}/:id/revoke`, [controllers.account.ApiTokens, 'destroy'])
          .as('account.tokens.destroy')
        router.get('/api/tokens', [controllers.account.ApiTokens, 'index']).as('tokens.index')
        router.post('/api/tokens', [controllers.account.ApiTokens, 'store']).as('tokens.store')
        router
          .delete('/api/tokens/:id', [controllers.account.ApiTokens, 'destroy'])
          .as('tokens.destroy')
      })
      .use(middleware.auth({ guards: ['web'] }))
  }
}

/* The example as pages. */
router.get('/posts', [controllers.PostPages, 'index'])
router.get('/posts/:id', [controllers.PostPages, 'show'])

router
  .group(() => {
    router.get('/me', [controllers.Me, 'show'])
  })
  .prefix('/api')
  .use(middleware.auth({ guards: ['web', 'api', 'oauth'] }))

postRoutes(postsConfig).prefix('/api')
