import type { HttpRouterService } from '@adonisjs/core/types'

const Reset = () => import('adonis-auth-kit/password_reset/controllers/password_reset_controller')

export function passwordResetRoutes(router: HttpRouterService): void {
  router.post('/password/email', [Reset, 'storeLink']).as('password.email')
  router.post('/password/reset', [Reset, 'store']).as('password.update')
}

/** The pages for people. They need sessions, for their messages and their CSRF field. */
export function passwordResetPages(router: HttpRouterService): void {
  router.get('/password/forgot', [Reset, 'createLink']).as('password.request')
  router.get('/password/reset', [Reset, 'create']).as('password.reset')
}
