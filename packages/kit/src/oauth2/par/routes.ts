import type { HttpRouterService } from '@adonisjs/core/types'

import { calledByClients } from '#oauth2/marks'

const Par = () => import('#oauth2/par/par_controller')

/** Where clients push authorization requests (RFC 9126). */
export function parRoutes(router: HttpRouterService): void {
  router.post('/oauth/par', [Par, 'store']).use(calledByClients)
}
