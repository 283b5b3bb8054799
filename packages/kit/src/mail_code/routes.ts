import type { HttpRouterService } from '@adonisjs/core/types'

const Login = () => import('#mail_code/controllers/mail_code_login_controller')
const Confirmation = () => import('#mail_code/controllers/mail_code_confirmation_controller')

/** Signing in, and confirming that it is the same person, by a code that was mailed. */
export function mailCodeRoutes(router: HttpRouterService): void {
  router.get('/login/code', [Login, 'create']).as('login.code.show')
  router.post('/login/code', [Login, 'store']).as('login.code')
  router.post('/login/code/verify', [Login, 'verify']).as('login.code.verify')
  router.get('/confirm/code', [Confirmation, 'create']).as('confirm.code.show')
  router.post('/confirm/code', [Confirmation, 'store']).as('confirm.code')
  router.post('/confirm/code/verify', [Confirmation, 'verify']).as('confirm.code.verify')
}
