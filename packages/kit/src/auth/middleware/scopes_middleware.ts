import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { type ScopeOptions, requireScopes } from '#auth/protection'
import type { ScopeName } from '#auth/scopes'

export interface ScopesMiddlewareOptions extends ScopeOptions {
  scopes: readonly ScopeName[]
}

/**
 * Requires scopes: `middleware.scopes(['posts:read'])`, or
 * `middleware.scopes({ scopes: ['posts:read', 'posts:write'], mode: 'any', guards: ['oauth'] })`.
 */
export default class ScopesMiddleware {
  async handle(
    ctx: HttpContext,
    next: NextFn,
    options: readonly ScopeName[] | ScopesMiddlewareOptions
  ) {
    const { scopes, ...rest } = 'scopes' in options ? options : { scopes: options }
    await requireScopes(ctx, scopes, rest)
    return next()
  }
}
