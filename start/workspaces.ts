/*
|--------------------------------------------------------------------------
| Workspaces
|--------------------------------------------------------------------------
|
| The pages of workspaces. Pages for people, JSON for programs. What is below
| /w/:slug is there for who works in that workspace, and for nobody else.
|
*/

import type { HttpRequest } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'
import edge from 'edge.js'

import { askingIn } from 'adonis-auth-kit/workspaces'
import { middleware } from '#start/kernel'

const Invitations = () => import('adonis-auth-kit/workspaces/controllers/invitations_controller')
const Members = () => import('adonis-auth-kit/workspaces/controllers/workspace_members_controller')
const Providers = () =>
  import('adonis-auth-kit/workspaces/controllers/workspace_providers_controller')
const Workspaces = () => import('adonis-auth-kit/workspaces/controllers/workspaces_controller')

/** What the person of a page can switch to; none for somebody who is in no team. */
async function workspaceChoices({ ctx }: HttpRequest) {
  try {
    const { workspaces, owner } = await askingIn(ctx!)
    return await workspaces.choices(ctx!, owner)
  } catch {
    /* A page of an error may come before anybody is known. */
    return []
  }
}

/** Whether somebody signs in to accept an invitation. */
function isInvited({ ctx }: HttpRequest) {
  const [path = ''] = ctx!.session.getIntendedUrl()?.split('?') ?? []
  return router.match(path, 'GET', false)?.route.name === 'invitations.show'
}

const auth = await app.container.make('auth_manager')
if (auth.feature('sessions') && auth.feature('workspaces')) {
  edge.global('workspaceChoices', workspaceChoices)
  edge.global('isInvited', isInvited)
  router
    .group(() => {
      router.get('/workspaces', [Workspaces, 'index'])
      router.post('/workspaces', [Workspaces, 'store'])
      router.post('/workspaces/switch', [Workspaces, 'switch'])
      router.post('/workspaces/:id/restore', [Workspaces, 'restore'])
      router.get('/invitations/:token', [Invitations, 'show'])
      router.post('/invitations/:token', [Invitations, 'accept'])
    })
    .use(middleware.auth({ guards: ['web'] }))

  router
    .group(() => {
      router.get('/', [Workspaces, 'show'])
      router.post('/', [Workspaces, 'update'])
      router.get('/log', [Workspaces, 'log'])
      router.post('/leave', [Workspaces, 'leave']).use(middleware.sure('workspaces.leave'))
      router.post('/transfer', [Workspaces, 'transfer']).use(middleware.confirmed())
      router
        .post('/delete', [Workspaces, 'destroy'])
        .use([middleware.confirmed(), middleware.sure('workspaces.delete')])
      router.post('/members/:id', [Members, 'update'])
      router
        .post('/members/:id/remove', [Members, 'destroy'])
        .use(middleware.sure('workspaces.remove_member'))
      router.post('/invitations', [Invitations, 'store'])
      router
        .post('/invitations/:id/revoke', [Invitations, 'destroy'])
        .use(middleware.sure('workspaces.revoke_invitation'))
    })
    .prefix('/w/:slug')
    .as('workspace')
    .use([middleware.auth({ guards: ['web'] }), middleware.workspace()])

  if (auth.feature('social')?.organisations) {
    router
      .group(() => {
        router.get('/', [Providers, 'index'])
        router.post('/', [Providers, 'store'])
        router.post('/:id/verify', [Providers, 'verify'])
        router.post('/:id/enforce', [Providers, 'enforce'])
        router
          .post('/:id/remove', [Providers, 'destroy'])
          .use(middleware.sure('workspaces.remove_provider'))
      })
      .prefix('/w/:slug/providers')
      .as('workspace.providers')
      .use([middleware.auth({ guards: ['web'] }), middleware.workspace(), middleware.confirmed()])
  }
}
