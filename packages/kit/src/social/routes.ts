import type { HttpRouterService } from '@adonisjs/core/types'

import { csrfExempt } from '#http/route_marks'

const Logout = () => import('adonis-auth-kit/social/controllers/back_channel_logout_controller')

export function socialRoutes(router: HttpRouterService): void {
  router
    .post('/auth/:name/backchannel-logout', [Logout, 'store'])
    .as('back_channel_logout')
    .use(csrfExempt)
}
