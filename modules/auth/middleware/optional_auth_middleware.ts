import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { type ProtectionOptions, optionalUser } from '#auth/protection'

/** Recognises the caller when it can, and lets everybody through. */
export default class OptionalAuthMiddleware {
  async handle(ctx: HttpContext, next: NextFn, options?: ProtectionOptions) {
    await optionalUser(ctx, options)
    return next()
  }
}
