import type { HttpContext } from '@adonisjs/core/http'

import { authContext } from 'adonis-auth-kit/auth'

export default class MeController {
  /** Who is calling, through which guard, and what it may do. */
  async show(ctx: HttpContext) {
    const { user, scopes, clientId } = await authContext(ctx)
    return {
      user: user.toProfile(),
      guard: ctx.auth.authenticatedViaGuard,
      scopes,
      client_id: clientId,
    }
  }
}
