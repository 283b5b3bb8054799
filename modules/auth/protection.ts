import type { HttpContext } from '@adonisjs/core/http'

import type { AuthContext } from '#auth/auth_context'
import { InsufficientScope, InvalidToken } from '#auth/errors'

/*
| The route-protection functions of spec 1. The named middleware auth,
| optionalAuth, scopes and abilities call these very functions.
|
| The guard is the one that already authenticated the request, or the default
| guard, unless `guards` names others, which are then tried in turn.
*/

export interface ProtectionOptions {
  guards?: string[]
}

/**
 * The user who makes the request.
 *
 * @throws {AuthError} 401 unless a user is authenticated
 */
export async function currentUser<User = any>(
  ctx: HttpContext,
  options?: ProtectionOptions
): Promise<User> {
  const { user } = await authContext<User>(ctx, options)
  return user!
}

/** The user who makes the request, or null. */
export async function optionalUser<User = any>(
  ctx: HttpContext,
  options: ProtectionOptions = {}
): Promise<User | null> {
  return (await ctx.auth.check(options.guards)) ? ctx.auth.user : null
}

/**
 * Who makes the request and what it may do.
 *
 * @throws {AuthError} 401 without valid credentials, and for a token that has no user
 */
export async function authContext<User = any>(
  ctx: HttpContext,
  options: ProtectionOptions = {}
): Promise<AuthContext<User>> {
  const context = await ctx.auth.authenticateUsing(options.guards)
  if (context.user === null) {
    throw new InvalidToken('The token does not belong to a user.')
  }
  return context
}

/**
 * Requires every listed scope, or with `mode: 'any'` at least one of them. A
 * token without a user is welcome.
 *
 * @throws {AuthError} 401 without valid credentials
 * @throws {InsufficientScope} 403 without the scopes
 */
export async function requireScopes<User = any>(
  ctx: HttpContext,
  scopes: string[],
  options: ProtectionOptions & { mode?: 'all' | 'any' } = {}
): Promise<AuthContext<User>> {
  const context = await ctx.auth.authenticateUsing(options.guards)
  const allowed = options.mode === 'any' ? context.canAny(...scopes) : context.canAll(...scopes)
  if (!allowed) {
    throw new InsufficientScope()
  }
  return context
}

/** The same under the name that fits API tokens. */
export const requireAbilities = requireScopes
