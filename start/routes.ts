/*
|--------------------------------------------------------------------------
| Routes file
|--------------------------------------------------------------------------
|
| What every application has. Each feature has its routes in a file of its own,
| which is a preload in adonisrc.ts and mounts nothing while its provider is out.
|
*/

import router from '@adonisjs/core/services/router'

import { controllers } from '#generated/controllers'
import { middleware } from '#start/kernel'

const Site = () => import('adonis-auth-kit/mail/controllers/site_controller')

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

router.get('/docs/:name', [controllers.Documentation, 'show'])

/* What browsers ask for beside the pages. */
router.get('/favicon.svg', [Site, 'icon'])
router.get('/favicon.ico', ({ response }) => response.redirect().status(301).toRoute('site.icon'))
router.get('/manifest.webmanifest', [Site, 'manifest'])

// feature: session api_token
router
  .group(() => {
    router.get('/me', [controllers.Me, 'show'])
  })
  .prefix('/api')
  .use(middleware.auth({ guards: ['web', 'api', 'oauth'] }))
// /feature
