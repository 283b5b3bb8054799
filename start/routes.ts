/*
|--------------------------------------------------------------------------
| Routes file
|--------------------------------------------------------------------------
|
| The features mount their own routes: see "providers".
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
router.get('/', ({ response }) => response.ok(''))
router
  .get('/user/:id', ({ params, response }) =>
    response.header('content-type', 'text/plain; charset=utf-8').send(params.id)
  )
  .as('user')
router.post('/user', ({ response }) => response.ok(''))

router.get('/health', [controllers.Health, 'show'])

/*
| Accounts: pages for people, JSON for programs. They go with the sessions.
*/
const auth = await app.container.make('auth_manager')
if (auth.feature('sessions')) {
  router.get('/register', [controllers.NewAccount, 'create'])
  router.post('/register', [controllers.NewAccount, 'store'])
  router.get('/login', [controllers.Session, 'create'])
  router.post('/login', [controllers.Session, 'store'])
  router.post('/logout', [controllers.Session, 'destroy'])
  router.get('/account', [controllers.Account, 'show']).use(middleware.auth())
}

router
  .group(() => {
    router.get('/me', [controllers.Me, 'show'])
  })
  .prefix('/api')
  .use(middleware.auth({ guards: ['web', 'api', 'oauth'] }))

postRoutes(postsConfig).prefix('/api')
