/*
|--------------------------------------------------------------------------
| Posts
|--------------------------------------------------------------------------
|
| The JSON:API example. A route speaks JSON:API by naming the middleware
| "jsonApi": first, so that what nobody could answer is refused before anything
| else is asked.
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
