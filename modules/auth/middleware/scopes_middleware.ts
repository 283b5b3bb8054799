import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { type ProtectionOptions, requireScopes } from '#auth/protection'

export interface ScopesOptions extends ProtectionOptions {
  scopes: string[]
  mode?: 'all' | 'any'
}

/**
 * Lets callers through who were granted the scopes: `middleware.scopes(['posts:read'])`,
 * or `middleware.scopes({ scopes: ['posts:read', 'posts:write'], mode: 'any', guards: ['oauth'] })`.
 */
export default class ScopesMiddleware {
  async handle(ctx: HttpContext, next: NextFn, options: string[] | ScopesOptions) {
    const { scopes, ...rest } = Array.isArray(options) ? { scopes: options } : options
    await requireScopes(ctx, scopes, rest)
    return next()
  }
}
