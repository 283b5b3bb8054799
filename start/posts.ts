/*
|--------------------------------------------------------------------------
| Posts
|--------------------------------------------------------------------------
|
| The example, as pages and as JSON:API. The middleware "jsonApi" makes a route a
| JSON:API route. It comes first, so that requests in another format are refused
| before authentication.
|
*/

import router from '@adonisjs/core/services/router'
import edge from 'edge.js'

import postsConfig from '#config/posts'
import { controllers } from '#generated/controllers'
import { Unauthenticated } from 'adonis-auth-kit/auth'
import { atomicOperations, jsonApiResource } from 'adonis-auth-kit/json_api'
import PostResource from '#resources/post_resource'
import { commentWrites, postWrites } from '#services/post_writes'
import { newestPosts } from '#services/posts'
import { middleware } from '#start/kernel'

const guards = ['oauth', 'api', 'web'] as const

/** Mounts the routes of posts. */
export function postRoutes({ publicReads }: { publicReads: boolean }) {
  const readers = publicReads
    ? middleware.optionalAuth({ guards })
    : middleware.scopes({ guards, scopes: ['posts:read'] })

  const use = {
    read: [
      readers,
      // feature: workspaces
      middleware.workspace(),
      // /feature
    ],
    write: [
      middleware.auth({ guards }),
      middleware.scopes({ guards, scopes: ['posts:write'] }),
      // feature: workspaces
      middleware.workspace(),
      // /feature
    ],
  }
  const { jsonApi } = middleware

  return router.group(() => {
    atomicOperations(router, { writes: [postWrites, commentWrites], jsonApi, use: use.write })
    jsonApiResource(router, 'posts', controllers.Posts, {
      resource: () => PostResource,
      writes: postWrites,
      jsonApi,
      use,
      query: ['page', 'sort', 'filter'],
      relationships: {
        author: { controller: controllers.PostAuthor, only: ['related', 'show'] },
        comments: {
          controller: controllers.PostComments,
          only: ['related', 'show', 'store', 'destroy'],
          query: ['page'],
        },
      },
    })
  })
}

router
  .group(() => {
    router.get('/posts', [controllers.PostPages, 'index'])
    router.get('/posts/:id', [controllers.PostPages, 'show'])
  })
  .use([
    // feature: workspaces
    middleware.workspace(),
    // /feature
  ])

postRoutes(postsConfig).prefix('/api')

/** For the start page; null for a visitor where nobody reads without a workspace. */
edge.global('newestPosts', (limit: number) =>
  newestPosts(limit).catch((error) => {
    if (error instanceof Unauthenticated) {
      return null
    }
    throw error
  })
)
