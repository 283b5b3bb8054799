import type { HttpContext } from '@adonisjs/core/http'

import { type AuthContext, type UserContext, Refusal } from '#auth/outcome'
import type { GuardName, UserOf } from '#auth/guard_types'
import { InsufficientScope } from '#auth/errors'
import type { ScopeName } from '#auth/scopes'

export interface ProtectionOptions<Name extends GuardName = GuardName> {
  /** Tried in turn. Default: the guard that authenticated the request, or the default guard. */
  guards?: readonly Name[]
}

export interface ScopeOptions<Name extends GuardName = GuardName> extends ProtectionOptions<Name> {
  /** `all` requires every scope, `any` at least one. Default `all`. */
  mode?: 'all' | 'any'
}

/** The user who makes the request. @throws {Unauthenticated} 401 unless a user is authenticated */
export async function currentUser<Name extends GuardName = GuardName>(
  ctx: HttpContext,
  options?: ProtectionOptions<Name>
): Promise<UserOf<Name>> {
  return ctx.authenticator.authenticateUsing(options?.guards)
}

export async function optionalUser<Name extends GuardName = GuardName>(
  ctx: HttpContext,
  options?: ProtectionOptions<Name>
): Promise<UserOf<Name> | null> {
  const { user } = await ctx.authenticator.resolveUsing(options?.guards)
  return user
}

/** @throws {Unauthenticated} 401 without valid credentials, and for a token without a user */
export async function authContext<Name extends GuardName = GuardName>(
  ctx: HttpContext,
  options?: ProtectionOptions<Name>
): Promise<UserContext<UserOf<Name>>> {
  const context = await requireContext(ctx, options)
  context.getUserOrFail()
  return context as UserContext<UserOf<Name>>
}

/**
 * Requires every listed scope, or with `mode: 'any'` one of them; the token may be without a user.
 * @throws {Unauthenticated} 401 without valid credentials
 * @throws {InsufficientScope} 403 without the scopes
 */
export async function requireScopes<Name extends GuardName = GuardName>(
  ctx: HttpContext,
  scopes: readonly ScopeName[],
  options?: ScopeOptions<Name>
): Promise<AuthContext<UserOf<Name>>> {
  const context = await requireContext(ctx, options)
  const isAny = options?.mode === 'any'
  if (!(isAny ? context.canAny(...scopes) : context.canAll(...scopes))) {
    throw new InsufficientScope(undefined, { scopes: isAny ? scopes.slice(0, 1) : scopes })
  }
  return context
}

/** Alias of `requireScopes`: the scopes of an API token are called abilities. */
export const requireAbilities = requireScopes

async function requireContext<Name extends GuardName>(
  ctx: HttpContext,
  options: ProtectionOptions<Name> | undefined
): Promise<AuthContext<UserOf<Name>>> {
  const outcome = await ctx.authenticator.resolveUsing(options?.guards)
  if (outcome instanceof Refusal) {
    throw outcome.toError()
  }
  return outcome
}
