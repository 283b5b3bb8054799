import type { HttpContext } from '@adonisjs/core/http'

/** Who sends a request. This is all that MCP needs to know of an app's authentication. */
export interface Caller {
  /** Differs between any two callers: what one was given is not accepted from another. */
  readonly id: string

  /** The authenticated user; null for a token without one. */
  readonly user: any

  /** What the caller was granted; "*" stands for every scope. */
  readonly scopes: readonly string[]
}

/** What a request has of an authentication: the one of this app, or that of `@adonisjs/auth`. */
interface Authenticated {
  authenticator?: {
    context: { user: any; scopes: readonly string[]; clientId: string | null } | null
  }
  auth?: { user?: any }
}

/**
 * The caller that the route's middleware authenticated; null for an anonymous one. With
 * `@adonisjs/auth`, the scopes are the abilities of the access token.
 */
export function authenticatedCaller(ctx: HttpContext): Caller | null {
  const { authenticator, auth } = ctx as Authenticated
  const context = authenticator?.context
  if (context) {
    const id = JSON.stringify([context.user?.id ?? null, context.clientId])
    return { id, user: context.user, scopes: context.scopes }
  }
  const user = auth?.user
  return user
    ? { id: JSON.stringify([user.id]), user, scopes: user.currentAccessToken?.abilities ?? ['*'] }
    : null
}

/** The scopes among `required` that the caller lacks. */
export function missingScopes(caller: Caller | null, required: readonly string[]): string[] {
  const held = caller?.scopes ?? []
  return held.includes('*') ? [] : required.filter((scope) => !held.includes(scope))
}
