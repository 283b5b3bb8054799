import type { HttpContext } from '@adonisjs/core/http'

import { createRouteMark, marksOf, type RouteMark } from '#http/route_marks'

/** A route whose access tokens are bound to its URL (RFC 8707, RFC 9728). */
export interface ChallengedResource {
  /** The resource identifier: tokens that are bound to it are accepted. */
  url: string
  metadataUrl: string
  /** The scopes to ask for. */
  scopes: readonly string[]
}

/** What a Bearer challenge tells besides its scheme (RFC 6750 §3). */
export interface ChallengeDetails {
  /** Absent when the request carried no token (RFC 6750 §3.1). */
  error?: 'invalid_token' | 'insufficient_scope'
  description?: string
  scopes?: readonly string[]
}

/** RFC 6749 §3.3: printable ASCII without space, `"` and `\`, so that it is safe inside the quotes of a challenge. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/

export function isScopeToken(scope: string): boolean {
  return SCOPE_TOKEN.test(scope)
}

/** Challenges of the route have RFC 6750's parameters, whatever `challengeDetails` of `config/auth.ts` says: its standard asks for them. */
export const explainedChallenges = createRouteMark('explainedChallenges')

const resources = new WeakMap<RouteMark, () => ChallengedResource | null>()

/**
 * Creates a mark for routes with bound access tokens. Challenges of such a route name its metadata
 * (RFC 9728 §5.1), whatever `challengeDetails` of `config/auth.ts` says.
 * @param describe returns the resource; null while the route has none
 */
export function boundResource(describe: () => ChallengedResource | null): RouteMark {
  const mark = createRouteMark('boundResource')
  resources.set(mark, describe)
  return mark
}

/** The resource that a route belongs to, or null. */
export function resourceOf(route: HttpContext['route']): ChallengedResource | null {
  for (const mark of marksOf(route)) {
    const describe = resources.get(mark)
    if (describe) {
      return describe()
    }
  }
  return null
}

/**
 * A full Bearer challenge (RFC 6750 §3).
 * @param metadataUrl where the metadata of the resource is (RFC 9728 §5.1)
 */
export function bearerChallenge(details: ChallengeDetails, metadataUrl?: string): string {
  const scope = scopeParameter(details.scopes ?? [])
  const parameters = Object.entries({
    error: details.error,
    error_description: details.description,
    scope: scope === '' ? undefined : scope,
    resource_metadata: metadataUrl,
  })
  const written = parameters
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}="${value}"`)
  return ['Bearer', written.join(', ')].join(' ').trim()
}

/** A Bearer challenge in all schemes of access tokens that there are, e.g. DPoP (RFC 9449 §7.1). */
export function inEveryScheme(ctx: HttpContext, bearer: string): string {
  const { authenticator } = ctx as Partial<HttpContext>
  return authenticator?.challengeOf(bearer) ?? bearer
}

/** Scopes as one parameter, without "*", which no client can request. */
export function scopeParameter(scopes: readonly string[]): string {
  return [...new Set(scopes)].filter((one) => one !== '*' && isScopeToken(one)).join(' ')
}

/**
 * The full challenge of a refusal, where the route or the config wants one; null elsewhere. With
 * `insufficient_scope` it names the scopes held too, so that the next token has them as well.
 */
export function challengeFor(ctx: HttpContext, details: ChallengeDetails): string | null {
  const resource = resourceOf(ctx.route)
  const isExplained =
    resource || ctx.authenticator.explainsChallenges || marksOf(ctx.route).has(explainedChallenges)
  if (!isExplained) {
    return null
  }
  const held =
    details.error === 'insufficient_scope' ? (ctx.authenticator.context?.scopes ?? []) : []
  const required = details.scopes ?? resource?.scopes ?? requiredScopes(ctx.route)
  return bearerChallenge(
    {
      error: details.error,
      description: resource ? undefined : details.description,
      scopes: [...held, ...required],
    },
    resource?.metadataUrl
  )
}

/** The scopes that a route's named middleware requires. */
export function requiredScopes(route: HttpContext['route']): string[] {
  return [...(route?.middleware.all() ?? [])].flatMap((middleware) => {
    const { name, args } = middleware as { name?: string; args?: unknown }
    if (name !== 'scopes' && name !== 'abilities') {
      return []
    }
    const { scopes, mode } = Array.isArray(args) ? { scopes: args, mode: 'all' } : (args as any)
    return mode === 'any' ? scopes.slice(0, 1) : scopes
  })
}
