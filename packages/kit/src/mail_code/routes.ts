import type { HttpRouterService } from '@adonisjs/core/types'

const Codes = () => import('adonis-auth-kit/mail_code/controllers/mail_code_controller')

/** Signing in, and confirming that it is the same person, by a code that was mailed. */
export function mailCodeRoutes(router: HttpRouterService): void {
  router.get('/login/code', [Codes, 'create']).as('login.code.show')
  router.post('/login/code', [Codes, 'store']).as('login.code')
  router.post('/login/code/verify', [Codes, 'verify']).as('login.code.verify')
  router.get('/confirm/code', [Codes, 'createConfirmation']).as('confirm.code.show')
  router.post('/confirm/code', [Codes, 'storeConfirmation']).as('confirm.code')
  router.post('/confirm/code/verify', [Codes, 'verifyConfirmation']).as('confirm.code.verify')
}
