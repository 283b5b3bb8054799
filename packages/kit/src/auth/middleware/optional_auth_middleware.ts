import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { type ProtectionOptions, optionalUser } from '#auth/protection'

/** Authenticates the caller if it can; callers without credentials pass too. */
export default class OptionalAuthMiddleware {
  async handle(ctx: HttpContext, next: NextFn, options?: ProtectionOptions) {
    await optionalUser(ctx, options)
    return next()
  }
}
