import type { HttpRouterService } from '@adonisjs/core/types'

import { ENDPOINT_CORS } from '#oauth2/cors'
import { oauthEndpoint } from '#oauth2/protocol_error'
import { clientEndpoint, csrfExempt, smallBody } from '#support/route_marks'

const Par = () => import('#oauth2/par/par_controller')

/** Where clients push authorization requests (RFC 9126). */
export function parRoutes(router: HttpRouterService): void {
  router
    .post('/oauth/par', [Par, 'store'])
    .use([oauthEndpoint, clientEndpoint, smallBody, csrfExempt, ENDPOINT_CORS])
}
