import type { HttpRouterService } from '@adonisjs/core/types'

import { LINK_ROUTE } from '#email_verification/links'

const Verification = () =>
  import('adonis-auth-kit/email_verification/controllers/verification_controller')

/** The link of a mail, and what a signed-in person does about their address. */
export function emailVerificationRoutes(router: HttpRouterService): void {
  router.get('/email/verify', [Verification, 'notice']).as('email.notice')
  router.post('/email/verify', [Verification, 'resend']).as('email.resend')
  router.get('/email/verify/:id', [Verification, 'open']).as(LINK_ROUTE)
  router.post('/email/verify/:id', [Verification, 'follow']).as('email.follow')
}
