import type { HttpRouterService } from '@adonisjs/core/types'

/** `GET /__auth__/csrf-cookie`, which exists in SPA mode only. */
export function csrfCookieRoute(router: HttpRouterService): void {
  router.get('/__auth__/csrf-cookie', [
    () => import('#session/controllers/csrf_cookie_controller'),
    'show',
  ])
}
