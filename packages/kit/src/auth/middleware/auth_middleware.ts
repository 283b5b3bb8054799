import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { type ProtectionOptions, currentUser } from '#auth/protection'

/** Requires a user: `middleware.auth()`, or `middleware.auth({ guards: ['web', 'api'] })`. */
export default class AuthMiddleware {
  async handle(ctx: HttpContext, next: NextFn, options?: ProtectionOptions) {
    await currentUser(ctx, options)
    return next()
  }
}
