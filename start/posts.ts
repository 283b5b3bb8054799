/*
|--------------------------------------------------------------------------
| Posts
|--------------------------------------------------------------------------
|
| The JSON:API example. The middleware "jsonApi" makes a route a JSON:API route.
| It comes first, so that requests in another format are refused before
| authentication.
|
*/

import router from '@adonisjs/core/services/router'

import { controllers } from '#generated/controllers'
import { middleware } from '#start/kernel'

const guards = ['oauth', 'api', 'web'] as const

/** Mounts the routes of posts. */
export function postRoutes({ publicReads }: { publicReads: boolean }) {
  const readers = publicReads
    ? middleware.optionalAuth({ guards })
    : middleware.scopes({ guards, scopes: ['posts:read'] })

  return router.group(() => {
    router
      .get('/posts', [controllers.Posts, 'index'])
      .use([middleware.jsonApi({ query: ['page', 'sort'] }), readers])
    router.get('/posts/:id', [controllers.Posts, 'show']).use([middleware.jsonApi(), readers])
    router
      .post('/posts', [controllers.Posts, 'store'])
      .use([
        middleware.jsonApi(),
        middleware.auth({ guards }),
        middleware.scopes({ guards, scopes: ['posts:write'] }),
      ])
  })
}
