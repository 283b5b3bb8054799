import type { HttpRouterService } from '@adonisjs/core/types'

/** `GET /openapi.json` */
export function openApiRoute(router: HttpRouterService): void {
  router
    .get('/openapi.json', [() => import('#openapi/controllers/openapi_controller'), 'show'])
    .as('openapi.show')
}
